import { refeed } from './activities.ts';

/** Runs on a schedule: whatever was lost between Postgres and Temporal comes back. Gives the number of hosts fed. */
export async function housekeeping(): Promise<{ readonly fedHosts: number }> {
  return { fedHosts: await refeed({ atOnce: false }) };
}
