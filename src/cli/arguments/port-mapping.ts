import { CommandError } from '../context.ts'

/** A port of this machine that leads to one of a guest. */
export interface PortMapping {
  readonly protocol: 'tcp' | 'udp'
  readonly local: number
  readonly remote: number
}

/** Parses `[tcp/|udp/]LOCAL[:REMOTE]`, as virtctl does. @throws CommandError */
export function parsePortMapping(text: string): PortMapping {
  const found = /^(?:(tcp|udp)\/)?(\d{1,5})(?::(\d{1,5}))?$/.exec(text)
  const local = Number(found?.[2])
  const remote = Number(found?.[3] ?? found?.[2])
  if (found === null || ![local, remote].every((port) => port > 0 && port < 65_536))
    throw new CommandError(`"${text}" is no port: write LOCAL:REMOTE, as in 8080:80 or udp/5300:53`)
  return { protocol: found[1] === 'udp' ? 'udp' : 'tcp', local, remote }
}
