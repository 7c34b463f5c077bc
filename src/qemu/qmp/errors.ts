/**
 * QEMU refused a command. `errorClass` is QMP's: `GenericError`, `CommandNotFound`,
 * `DeviceNotFound` …
 */
export class QmpCommandError extends Error {
  override readonly name = 'QmpCommandError'
  readonly errorClass: string
  readonly command: string
  constructor(command: string, errorClass: string, description: string) {
    super(`QEMU refused "${command}": ${description}`)
    this.command = command
    this.errorClass = errorClass
  }
}

/** The monitor could not be reached, or QEMU went away. */
export class QmpClosed extends Error {
  override readonly name = 'QmpClosed'
}
