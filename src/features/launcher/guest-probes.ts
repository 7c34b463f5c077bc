import { changeDirectory } from './pre-stop.ts'

/** A probe of a guest by its agent, whose last result the node agent keeps in a file. */
export type GuestProbe = 'readiness' | 'liveness'

/**
 * Name of the file with the last result of a probe, in the directory that launcher and node agent
 * share: `ok`, or the reason of a failure, in one line.
 */
export function probeResultFile(probe: GuestProbe): string {
  return `probe-${probe}`
}

/** File that says that the guest runs here, and not, or not yet, elsewhere. */
export const runningFile = 'running'

/** Returns the command by which the kubelet asks whether the guest runs here. */
export function startupCommand(): string[] {
  return ['/bin/sh', '-c', [changeDirectory, `[ -f ${runningFile} ] || { echo "the guest does not run here yet"; exit 1; }`].join('\n')]
}

/**
 * Returns the command by which the kubelet asks for the last result: it cannot ask the agent in the
 * guest, and counts results and reports failures as of any container.
 */
export function probeCommand(probe: GuestProbe): string[] {
  const file = probeResultFile(probe)
  const script = [
    changeDirectory,
    `[ -f ${file} ] || { echo "the guest has not been probed yet"; exit 1; }`,
    `read -r result <${file} || :`,
    '[ "$result" = ok ] || { echo "$result"; exit 1; }',
  ]
  return ['/bin/sh', '-c', script.join('\n')]
}
