import { CommandError } from '../context.ts'

/** Registry and path before `/virt-api:v0.2.0`. */
const SHAPE = /^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/

/**
 * Checks a registry. It is checked here, since a cluster would report it minutes later, in the
 * status of a pod. @throws CommandError
 */
export function checkedRegistry(text: string): string {
  if (SHAPE.test(text)) return text
  throw new CommandError(`"${text}" is no registry: it is a host and a path, such as registry.example.com/team`)
}
