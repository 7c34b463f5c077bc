/**
 * Guest-OS tasks with the names, parameters and results of KubeVirt's Tekton tasks, which a
 * pipeline makes guests and images with. `tasks` lists them, `runTask` runs one with what a program
 * gives it, `tektonTaskOf` and `accessOf` render the objects that Tekton needs. Tasks do not know
 * Tekton: parameters are flags or environment variables, results are files.
 */
export { collectResults } from './program/results/collect-results.ts'
export { resultsFolder } from './program/results/results.ts'
export { exitCodes, TaskFailed } from './exit-codes.ts'
export { flagOf } from './program/parameters.ts'
export { helpOfAll } from './program/help.ts'
export { createRunCommand } from './program/run-command.ts'
export { makeRunFolder } from './program/run-folder.ts'
export { runTask } from './program/run-task.ts'
export { accessOf } from './tekton/access-objects.ts'
export { tektonTaskOf } from './tekton/task-object.ts'
export { tasks } from './tasks.ts'
export type { GuestPort, TaskContext, TaskDefinition, TaskParameter } from './task.ts'
