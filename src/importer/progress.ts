import type { ImportProgress } from './task/task.ts'

/** What a worker does at the moment. */
export type Stage =
  | 'Starting'
  | 'Connecting'
  | 'Downloading'
  | 'WaitingForUpload'
  | 'WaitingForSource'
  | 'Uploading'
  | 'Copying'
  | 'Unpacking'
  | 'Converting'
  | 'Finishing'

/** Keeps the progress of a worker for those who ask. */
export interface Progress {
  stage(stage: Stage): void
  /** Total bytes of the stage; undefined while unknown. */
  expect(total: number | undefined): void
  at(done: number): void
  read(): ImportProgress
}

/** Starts with the stage `Starting`. */
export function createProgress(): Progress {
  let current: Stage = 'Starting'
  let total: number | undefined
  let done = 0
  return {
    stage(stage) {
      current = stage
      total = undefined
      done = 0
    },
    expect(bytes) {
      total = bytes
    },
    at(bytes) {
      done = bytes
    },
    read() {
      if (total === undefined || total === 0) return { stage: current }
      return { stage: current, percent: Math.min(100, Math.floor((done / total) * 10_000) / 100) }
    },
  }
}
