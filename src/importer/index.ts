/**
 * Fills volumes with disk images: reads them from web servers, registries, uploads and other
 * volumes, checks them, and converts them to raw disks. Knows nothing of Kubernetes. `ImportTask`
 * is the contract with the controllers that start workers, and `runWorker` is a worker.
 * `downloadDisk` only brings a disk to a file. `registry/` reads images for others, too.
 */
export { downloadDisk, type DiskDownload } from './download-disk.ts'
export { ImportFailure } from './failure.ts'
export { answerEarly, endAfterBody } from './server/early-answer.ts'
export { exitCodes, workerPaths } from './task/task.ts'
export type {
  CloneSource,
  DigestTask,
  HttpSource,
  ImportProgress,
  ImportResult,
  ImportSource,
  ImportTask,
  PeerAddress,
  RegistrySource,
  S3Source,
} from './task/task.ts'
export { parseResult } from './task/parse-result.ts'
export { runWorker, type WorkerEnd, type WorkerOptions } from './run-worker.ts'
