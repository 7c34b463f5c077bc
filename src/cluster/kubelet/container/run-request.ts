import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ConfigurationSource } from '../environment/configuration-source.ts'
import { containerEnvironment } from '../environment/environment.ts'
import type { NodeFacts } from '../environment/field-reference.ts'
import type { ResolvedImage } from '../options.ts'
import type { PodDirectory } from '../pod/pod-directory.ts'
import { writeFileAtomically } from '../process/atomic-file.ts'
import { canMount, commandWithMounts } from '../process/mount-namespace.ts'
import { containerMounts, type Mount, mountsAnnotation } from '../volumes/mounts.ts'
import { containerCommand, workingDirectoryOf } from './command.ts'
import type { RunRequest } from './container.ts'
import { terminationPathOf } from './container-record.ts'

/** Dependencies of {@link createRunRequest}. */
export interface RunRequestPorts {
  readonly source: ConfigurationSource
  readonly node: NodeFacts
  /** PATH, HOME and other variables of every container. */
  readonly baseEnvironment: Readonly<Record<string, string>>
}

type Program = Pick<RunRequest, 'command' | 'environment' | 'workingDirectory'>

/**
 * Resolves a container's command, environment and mounts. The volumes of its pod are in place.
 * `warn` is called with the message of an event when its mounts cannot be made.
 *
 * @throws ContainerConfigError
 */
export async function createRunRequest(
  ports: RunRequestPorts,
  { pod, spec, image, directory }: { pod: Pod; spec: Container; image: ResolvedImage; directory: PodDirectory },
  warn: (message: string) => void,
): Promise<RunRequest> {
  const { node, source, baseEnvironment: base } = ports
  const environment = await containerEnvironment({ pod, container: spec, podDirectory: directory.path, node, base, source })
  const program = {
    command: containerCommand(spec, image, environment),
    environment,
    workingDirectory: workingDirectoryOf(spec, image),
  }
  return {
    ...(await withMounts(pod, spec, directory, program, image.rootDirectory, warn)),
    image: image.id ?? spec.image ?? '',
    niceness: isSystemCritical(pod) ? 0 : podNiceness,
    ...(spec.stdin === true ? { stdin: { once: spec.stdinOnce === true } } : {}),
  }
}

/**
 * Mounts the volumes in a mount namespace of the process, or names them in STEADYVM_MOUNTS where
 * that is not possible. The process is started in `root`: its working directory may be a mount.
 */
async function withMounts(
  pod: Pod,
  spec: Container,
  directory: PodDirectory,
  program: Program,
  root: string,
  warn: (message: string) => void,
): Promise<Program> {
  const { command, environment, workingDirectory } = program
  if (pod.metadata.annotations?.[mountsAnnotation] === 'none') return program
  const mounts = await containerMounts(pod, spec, directory, environment)
  if (mounts.length === 0) return program
  if (await canMount()) {
    const all = [...mounts, terminationMount(spec, directory)]
    return { environment, workingDirectory: root, command: commandWithMounts(command, all, workingDirectory) }
  }
  const list = mounts.map(({ target, source }) => `${target}=${source}`).join(':')
  warn(
    `container ${spec.name} does not see its volumes at their mountPath, as this kubelet may not mount: they are named in STEADYVM_MOUNTS`,
  )
  return { ...program, environment: { ...environment, STEADYVM_MOUNTS: list } }
}

/** The termination message file, empty at the start of a run. */
function terminationMount(spec: Container, directory: PodDirectory): Mount {
  const source = terminationPathOf(directory.container(spec.name))
  writeFileAtomically(source, '', 0o666)
  return { source, target: spec.terminationMessagePath ?? '/dev/termination-log', readOnly: false }
}

/** Guests that boot at the same time must not starve the control plane, which needs little CPU but soon. */
const podNiceness = 10

function isSystemCritical(pod: Pod): boolean {
  return pod.spec?.priorityClassName?.startsWith('system-') === true
}
