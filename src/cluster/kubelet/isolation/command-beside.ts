import { commandBeside } from '../process/mount-namespace.ts'
import { commandMarker } from '../process/process-marker.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { commandAs, type Program } from './user-command.ts'

/** Credentials of a command that runs beside a container's process. */
export interface CommandOwner {
  readonly user: ProcessUser
  /** Directory of the container, which only root reads. */
  readonly directory: string
}

/** A program that sees what a process sees; without owner it runs as the kubelet does. */
export function programBeside(pid: number, workingDirectory: string, program: Program, owner: CommandOwner | undefined): Program {
  const prepare = (command: readonly string[]): readonly string[] => commandBeside(pid, workingDirectory, command)
  if (owner === undefined) return { command: prepare(program.command), environment: program.environment }
  return commandAs(owner.user, program, { directory: owner.directory, keep: [commandMarker, 'POD_DIR'], prepare })
}
