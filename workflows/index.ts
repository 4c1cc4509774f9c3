export { crawl } from './crawl.ts';
export { host } from './host.ts';
export { housekeeping } from './housekeeping.ts';
export { prioritizer } from './prioritizer.ts';
