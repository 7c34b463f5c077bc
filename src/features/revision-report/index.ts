export { createInspector } from './kept.ts'
export { reportOn } from './report.ts'
export { readRevisionWorld } from './read-world.ts'
export type { Finding, RevisionReport, VersionReport } from './types.ts'
