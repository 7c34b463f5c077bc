export { createRevisionSummaryController } from './controller.ts'
export { takeReport } from './take-report.ts'
export type { Finding, RevisionReport, VersionReport } from './types.ts'
