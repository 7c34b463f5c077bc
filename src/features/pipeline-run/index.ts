/**
 * Runs Tasks and Pipelines of Tekton without Tekton, on any cluster: each attempt of a task is a
 * pod, and a ConfigMap holds the plan and the progress of a run. `readTaskManifest`,
 * `readPipelineManifest` and those of runs read manifests, and refuse by its path what is not
 * carried out; `makePlan` checks everything before anything is created; `createRun` stores it, and
 * `followRun` carries it out, or goes on where another runner was killed. It reads no files and
 * prints nothing: `steadyvm task` and `steadyvm pipeline` do.
 */
export { createRun, listRuns, readRun, type StoredRun } from './cluster/run-store.ts'
export { followRun, type RunView } from './cluster/runner.ts'
export { dependenciesOf } from './graph/dependencies.ts'
export { makePlan } from './graph/make-plan.ts'
export { declareGiven } from './graph/propagate.ts'
export type { RunPlan, RunTimeouts, WorkspaceBinding } from './graph/plan.ts'
export { ManifestInvalid } from './manifest/fields.ts'
export type { ParamValue } from './manifest/parameter.ts'
export type { PipelineSpec } from './manifest/pipeline.ts'
export {
  readPipelineManifest,
  readPipelineRunManifest,
  readTaskManifest,
  readTaskRunManifest,
  singleTaskPipeline,
} from './manifest/read-manifest.ts'
export type { PipelineRunManifest, RunRequest, TaskRunManifest } from './manifest/run-manifest.ts'
export type { TaskSpec } from './manifest/task.ts'
export { loggingContainers, whyPodWaits } from './run/observe.ts'
export { attemptsOf, type Outcome } from './run/progress.ts'
export type { TaskState } from './run/states.ts'
export { taskOf } from './pod/names.ts'
