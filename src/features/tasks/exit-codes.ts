/** Exit codes of all tasks. A command in a guest gives its own exit code. */
export const exitCodes = {
  done: 0,
  /** Anything that has no code of its own. */
  failed: 1,
  /** A parameter is missing or invalid, or the condition of failure is met. */
  badInput: 2,
  /** What the task needs at run time is not there. */
  preconditionFailed: 3,
  createFailed: 4,
  /** A wait has ended without success. */
  waitFailed: 5,
  /** The results cannot be written. */
  resultsFailed: 6,
  startFailed: 7,
} as const

/** An expected failure of a task: its message is printed without a stack. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
  readonly exitCode: number
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Returns the error of a missing or invalid parameter. */
export function badInput(message: string): TaskFailed {
  return new TaskFailed(exitCodes.badInput, message)
}
