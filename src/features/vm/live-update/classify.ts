import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isGateOpen, type ClusterConfig } from '#features/cluster-config/index.ts'
import { changesBetween, type Change, type Expansion } from '#features/instancetype/index.ts'
import { interfaceChanges, orphanedInterfaces, withoutAbsentInterfaces, withoutLiveInterfaces } from './interfaces.ts'
import { volumeChanges, withoutLiveVolumes } from './volumes.ts'
import { cpuObstacle, memoryObstacle, socketsDelay } from './hotplug-limits.ts'

/** Configuration that decides what reaches a running guest. */
export type Config = Pick<ClusterConfig, 'rolloutStrategy' | 'featureGates'>

type Resources = VirtualMachineInstance['spec']['domain']['resources']

/** Time at which a change reaches the guest: while it runs, or at its next start. */
export type Effect = 'live' | 'restart'

/** A field of the guest that changes. */
export interface FieldChange extends Change {
  readonly kind: Effect
  /**
   * Reason why this guest needs a restart for a field that can usually be changed live, or why the
   * change reaches it later than its VMI.
   */
  readonly message?: string
}

/** Effect of a VM's changes on its guest. */
export interface Classification {
  readonly kind: 'unchanged' | Effect
  /** All fields that differ, including those that need a restart. */
  readonly fields: readonly FieldChange[]
}

/**
 * Classifies the difference between `before`, which the guest was started from, and `after`, which
 * its VM expands to now. Fields that can be changed live are compared with the VMI, which may have
 * been updated since the start. Either all differences are applied live, or none. Without a guest
 * all wait for the next start. Neither expansion may have conflicts.
 */
export function classify(before: Expansion, after: Expansion, vmi: VirtualMachineInstance | undefined, config: Config): Classification {
  const guest = vmi === undefined || isVmiFinal(vmi) || isBeingDeleted(vmi) ? undefined : vmi
  const { changes, live } = changesOf(before, after, guest, config)
  const isDerived = derivedIn(before, after)
  const situation = { after, guest, config, changed: new Set(changes.map(({ path }) => path)) }
  const fields = changes
    .filter((change) => !isDerived(change))
    .map((change): FieldChange => ({ ...change, ...effectOf(change.path, situation) }))
    .concat(live)
  if (fields.length === 0) return { kind: 'unchanged', fields }
  return { kind: fields.some(({ kind }) => kind === 'restart') ? 'restart' : 'live', fields }
}

/**
 * Lists the differences, and apart those of interfaces and volumes that the guest takes while it
 * runs.
 */
function changesOf(
  { vmi: started }: Expansion,
  { vmi: wanted }: Expansion,
  guest: VirtualMachineInstance | undefined,
  { rolloutStrategy, featureGates }: Config,
): { readonly changes: readonly Change[]; readonly live: readonly FieldChange[] } {
  const compare = (before: Expansion['vmi'], after: Expansion['vmi']): readonly Change[] =>
    changesBetween(withLiveValues(before, after, guest), after)
  if (guest === undefined) return { changes: compare(startable(started), startable(wanted)), live: [] }
  const isStaged = rolloutStrategy === 'Stage'
  const plugs = plugsVolumes(featureGates)
  const [stripped, target] = isStaged
    ? [startable(started).spec, startable(wanted).spec]
    : withoutLiveInterfaces(started.spec, guest, wanted.spec)
  // Volumes are plugged with any strategy, as in KubeVirt.
  const [before, after] = plugs ? withoutLiveVolumes(stripped, guest, target) : [stripped, target]
  const live = [...(isStaged ? [] : interfaceChanges(guest, wanted.spec)), ...(plugs ? volumeChanges(guest, wanted.spec) : [])]
  return {
    changes: [
      ...compare({ ...started, spec: before }, { ...wanted, spec: after }),
      ...(isStaged ? [] : orphanedInterfaces(started.spec, guest, wanted.spec)),
    ],
    live: live.map((change) => ({ ...change, kind: 'live' })),
  }
}

/** Leaves out what a guest does not start with. */
function startable(vmi: Expansion['vmi']): Expansion['vmi'] {
  return { ...vmi, spec: withoutAbsentInterfaces(vmi.spec) }
}

/** Reports whether a VM's volumes are plugged and unplugged by its spec, as KubeVirt decides. */
function plugsVolumes(featureGates: Config['featureGates']): boolean {
  return isGateOpen('DeclarativeHotplugVolumes', featureGates) && !isGateOpen('HotplugVolumes', featureGates)
}

/** Message for fields that cannot be changed in any running guest. KubeVirt's text. */
export const templateChanged = 'a non-live-updatable field was changed in the template spec'

/**
 * Returns the message of the VM's RestartRequired condition: general reasons before those of this
 * guest.
 */
export function restartMessage({ fields }: Classification): string {
  const reasons = fields.filter(({ kind }) => kind === 'restart').map(({ message }) => message)
  return reasons.includes(undefined) ? templateChanged : (reasons[0] ?? templateChanged)
}

const guestMemory = 'spec.domain.memory.guest'
const requestedMemory = 'spec.domain.resources.requests.memory'
const livePaths =
  /^spec\.(domain\.cpu\.sockets$|domain\.memory\.guest$|domain\.resources\.requests\.memory$|nodeSelector|affinity|tolerations)/
/** Annotations with the names of instance type and preference: for users and metrics only. */
const nameAnnotation = /^metadata\.annotations\[kubevirt\.io\/(cluster-)?(instancetype|preference)-name\]$/

interface Situation {
  readonly after: Expansion
  readonly guest: VirtualMachineInstance | undefined
  readonly config: Config
  /** Paths of all fields that differ. */
  readonly changed: ReadonlySet<string>
}

function effectOf(path: string, { after, guest, config, changed }: Situation): Pick<FieldChange, 'kind' | 'message'> {
  if (guest === undefined || config.rolloutStrategy === 'Stage') return { kind: 'restart' }
  if (nameAnnotation.test(path)) return { kind: 'live' }
  // A memory request that changes without guest memory concerns only the pod.
  if (!livePaths.test(path) || (path === requestedMemory && !changed.has(guestMemory))) return { kind: 'restart' }
  const message = obstacleTo(path, after, guest)
  if (message !== undefined) return { kind: 'restart', message }
  const delay = path === 'spec.domain.cpu.sockets' ? socketsDelay(guest) : undefined
  return delay === undefined ? { kind: 'live' } : { kind: 'live', message: delay }
}

function obstacleTo(path: string, after: Expansion, vmi: VirtualMachineInstance): string | undefined {
  if (path === 'spec.domain.cpu.sockets') return cpuObstacle(after.vmi.spec, vmi)
  if (path === guestMemory || path === requestedMemory) return memoryObstacle(after.vmi.spec, vmi)
  // The pod exists and can only be moved by a migration, which needs a running guest. A pending pod
  // for a node that does not exist would never be scheduled.
  const isBeingPlaced = vmi.status?.phase === 'Scheduling' || vmi.status?.phase === 'Scheduled'
  return isBeingPlaced ? 'the guest is being placed by the rules that its pod was made with' : undefined
}

/** Returns the spec that the guest was started from, with the live updates since. */
function withLiveValues(
  { metadata, spec }: Expansion['vmi'],
  { spec: wanted }: Expansion['vmi'],
  vmi: VirtualMachineInstance | undefined,
): unknown {
  if (vmi === undefined) return { metadata, spec }
  const { nodeSelector, affinity, tolerations, domain } = vmi.spec
  const { cpu, memory, resources } = spec.domain
  return {
    metadata: { ...metadata, annotations: { ...annotationsOf(metadata, false), ...annotationsOf(vmi.metadata, true) } },
    spec: {
      ...spec,
      nodeSelector,
      affinity,
      tolerations,
      domain: {
        ...spec.domain,
        cpu: { ...cpu, sockets: domain.cpu?.sockets ?? cpu?.sockets },
        memory: { ...memory, guest: domain.memory?.guest ?? memory?.guest },
        resources: withLiveRequest(resources, wanted.domain.resources, domain.resources),
      },
    },
  }
}

/**
 * A memory request of the VMI counts only if the VM had one or has one: earlier releases wrote one
 * into every VMI.
 */
function withLiveRequest(started: Resources, wanted: Resources, live: Resources): Resources {
  const memory = started?.requests?.['memory']
  if (memory === undefined && wanted?.requests?.['memory'] === undefined) return started
  const request = live?.requests?.['memory'] ?? memory
  return request === undefined ? started : { ...started, requests: { ...started?.requests, memory: request } }
}

function annotationsOf(metadata: { readonly annotations?: Record<string, string> }, areNames: boolean): Readonly<Record<string, string>> {
  const entries = Object.entries(metadata.annotations ?? {})
  return Object.fromEntries(entries.filter(([key]) => nameAnnotation.test(`metadata.annotations[${key}]`) === areNames))
}

/**
 * Fields derived from another field that changes too; they are no change of their own. Example:
 * `maxSockets`, which follows `sockets` at start.
 */
const derivations: Readonly<Record<string, readonly string[]>> = {
  'spec.domain.cpu.maxSockets': ['spec.domain.cpu.sockets', 'spec.domain.cpu.cores', 'spec.domain.cpu.threads'],
  'spec.domain.memory.maxGuest': ['spec.domain.memory.guest'],
  'spec.domain.resources.requests.cpu': ['spec.domain.cpu.sockets', 'spec.domain.cpu.cores', 'spec.domain.cpu.threads'],
}

function derivedIn(before: Expansion, after: Expansion): (change: Change) => boolean {
  const changed = new Set(changesBetween(before.vmi, after.vmi).map(({ path }) => path))
  return ({ path }) =>
    [before.sources.get(path), after.sources.get(path)].every((source) => source === 'default' || source === undefined) &&
    (derivations[path] ?? []).some((origin) => changed.has(origin))
}
