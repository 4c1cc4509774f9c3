import { caseReport } from './case-report.ts';

process.stdout.write(`${caseReport().join('\n')}\n`);
