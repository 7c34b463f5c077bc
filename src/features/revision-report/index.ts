export { createRevisionSummaryController } from './summary/controller.ts'
export { takeReport } from './take-report.ts'
export type { Finding, RevisionReport, VersionReport } from './types.ts'
