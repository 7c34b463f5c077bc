/**
 * Reports the state of all captured instance types and preferences: outdated, orphaned, unreadable
 * and missing revisions, and which API versions are safe to remove. `takeReport` serves `steadyvm
 * revisions`, `createRevisionSummaryController` the status of the KubeVirt object and metrics. It
 * changes no revision.
 */
export { createRevisionSummaryController } from './summary/controller.ts'
export { takeReport } from './take-report.ts'
export type { Finding, RevisionReport, VersionReport } from './types.ts'
