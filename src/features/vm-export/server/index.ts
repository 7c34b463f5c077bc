/**
 * The program of export servers: sends disks, folders and manifests to clients with a token.
 * `runExportServer` follows a task until its deadline. Knows nothing of Kubernetes; which volumes
 * it gets, and when it must end, is decided by the controller beside it.
 */
export { runExportServer } from './run-export-server.ts'
