import { chmodSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ConfigurationSource } from '../environment/configuration-source.ts'
import { containerEnvironment } from '../environment/environment.ts'
import type { NodeFacts } from '../environment/field-reference.ts'
import { containerLimits } from '../limits/container-limits.ts'
import { lastingName, type PodNetwork } from '../network/pod-network.ts'
import type { ResolvedImage } from '../options.ts'
import type { PodDirectory } from '../pod/pod-directory.ts'
import { writeFileAtomically } from '../process/atomic-file.ts'
import { mountSource } from '#runtime/isolation/covered-directory.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { type PodIdentity, userOf } from '../isolation/pod-identity.ts'
import { userEntryMount } from '../isolation/user-entry.ts'
import type { PodUsers } from '../isolation/pod-users.ts'
import { canMount, commandWithMounts } from '../process/mount-namespace.ts'
import { containerMounts, type Mount, mountsAnnotation } from '../volumes/mounts.ts'
import { containerCommand, workingDirectoryOf } from './command.ts'
import type { RunRequest } from './container.ts'
import { terminationPathOf } from './container-record.ts'

/** Dependencies of {@link createRunRequest}. */
export interface RunRequestPorts {
  /** Undefined: all pods run as the kubelet's user. */
  readonly users?: PodUsers | undefined
  readonly source: ConfigurationSource
  readonly node: NodeFacts
  /** PATH, HOME and other variables of every container. */
  readonly baseEnvironment: Readonly<Record<string, string>>
}

/** One container of a pod. */
export interface RunRequestInput {
  readonly pod: Pod
  readonly spec: Container
  readonly image: ResolvedImage
  readonly directory: PodDirectory
  readonly identity: PodIdentity
}

type Program = Pick<RunRequest, 'command' | 'environment' | 'workingDirectory' | 'as'>

/**
 * Resolves a container's command, environment and mounts. The volumes of its pod are in place.
 * `warn` is called with the message of an event when its mounts cannot be made.
 *
 * @throws ContainerConfigError
 */
export async function createRunRequest(
  ports: RunRequestPorts,
  { pod, spec, image, directory, identity }: RunRequestInput,
  warn: (message: string) => void,
): Promise<RunRequest> {
  const { node, source, baseEnvironment: base } = ports
  const user = userOf(identity, pod, spec)
  const ownBase = user === undefined ? base : { ...base, HOME: '/' }
  const environment = await containerEnvironment({ pod, container: spec, podDirectory: directory.path, node, base: ownBase, source })
  const program = {
    command: containerCommand(spec, image, environment),
    environment,
    workingDirectory: workingDirectoryOf(spec, image),
  }
  const prepared =
    user === undefined
      ? withMounts(pod, spec, directory, program, image.rootDirectory, warn)
      : asUser(ports.users?.covered ?? '', user, { pod, spec, image, directory, identity }, program, warn)
  const { network } = node
  const placed = network !== undefined && lastingName(pod) !== undefined ? await inNetwork(network, await prepared) : await prepared
  return {
    ...placed,
    image: image.id ?? spec.image ?? '',
    limits: containerLimits(pod, spec),
    niceness: isSystemCritical(pod) ? 0 : podNiceness,
    ...(spec.stdin === true ? { stdin: { once: spec.stdinOnce === true } } : {}),
  }
}

/** Starts the program in the pod network. Root enters it, before it becomes the pod's user. */
async function inNetwork(network: PodNetwork, program: Program): Promise<Program> {
  const { as } = program
  if (as === undefined) return { ...program, command: await network.enter(program.command) }
  const enter = await network.enter([])
  return { ...program, as: { ...as, prepare: (command) => [...enter, ...as.prepare(command)] } }
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
    const view = { mounts: [...mounts, terminationMount(spec, directory)], hostName: hostNameOf(pod) }
    return { environment, workingDirectory: root, command: commandWithMounts(command, view, workingDirectory) }
  }
  warn(notVisible(spec))
  return { ...program, environment: { ...environment, STEADYVM_MOUNTS: mountList(mounts) } }
}

/**
 * Runs the program as a user who sees, of the directory that holds the machine's data, only the
 * pod's own volumes and image.
 */
async function asUser(
  covered: string,
  user: ProcessUser,
  { pod, spec, image, directory }: RunRequestInput,
  program: Program,
  warn: (message: string) => void,
): Promise<Program> {
  const mounts = await containerMounts(pod, spec, directory, program.environment)
  if (!(await canMount())) {
    if (mounts.length > 0) warn(notVisible(spec))
    return {
      ...program,
      environment: { ...program.environment, STEADYVM_MOUNTS: mountList(mounts) },
      as: { user, prepare: (command) => command },
    }
  }
  const visible = (path: string, readOnly: boolean): Mount[] =>
    mountSource(covered, path) === path ? [] : [{ source: path, target: path, readOnly }]
  const userEntry = mounts.some(({ target }) => target === '/etc/passwd')
    ? undefined
    : await userEntryMount(directory.container(spec.name), user)
  const sources = await Promise.all(mounts.map(async (mount) => ({ ...mount, source: await realpath(mount.source) })))
  const all = [
    ...visible(await realpath(directory.path), false),
    ...visible(await realpath(image.rootDirectory), true),
    ...sources.flatMap(({ source, readOnly }) => visible(source, readOnly)),
    ...(userEntry === undefined ? [] : [userEntry]),
    ...sources,
    ...(mounts.length === 0 ? [] : [terminationMount(spec, directory)]),
  ].map((mount) => ({ ...mount, source: mountSource(covered, mount.source) }))
  return {
    ...program,
    workingDirectory: '/',
    as: {
      user,
      prepare: (command) => commandWithMounts(command, { mounts: all, hostName: hostNameOf(pod), covered }, program.workingDirectory),
    },
  }
}

/** The host name of a pod; empty for one that has the machine's. */
function hostNameOf({ metadata, spec }: Pod): string {
  // Linux takes 64 characters, and DNS 63.
  return spec.hostNetwork === true ? '' : (spec.hostname ?? metadata.name ?? '').slice(0, 63).replace(/[-.]+$/, '')
}

function mountList(mounts: readonly Mount[]): string {
  return mounts.map(({ target, source }) => `${target}=${source}`).join(':')
}

function notVisible({ name }: Container): string {
  return `container ${name} does not see its volumes at their mountPath, as this kubelet may not mount: they are named in STEADYVM_MOUNTS`
}

/**
 * The termination message file, empty at the start of a run. Every user may write to it: the umask
 * has no say in that.
 */
function terminationMount(spec: Container, directory: PodDirectory): Mount {
  const source = terminationPathOf(directory.container(spec.name))
  writeFileAtomically(source, '', 0o666)
  chmodSync(source, 0o666)
  return { source, target: spec.terminationMessagePath ?? '/dev/termination-log', readOnly: false }
}

/**
 * Guests that boot at the same time must not starve the control plane, which needs little CPU but
 * soon.
 */
const podNiceness = 10

function isSystemCritical(pod: Pod): boolean {
  return pod.spec?.priorityClassName?.startsWith('system-') === true
}
