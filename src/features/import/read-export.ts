import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { convertVersion, withRevisionNames, type Family } from '#features/instancetype/index.ts'
import { firmwareUuidOf } from './firmware-uuid.ts'
import { importedKindOf } from './kinds.ts'

/** On an imported object: the UID that it had where it was exported. */
export const importedFromAnnotation = 'steadyvm.io/imported-from'
/** On an imported VM: the run strategy that it had, while it is imported halted. */
const importedRunStrategyAnnotation = 'steadyvm.io/imported-run-strategy'

/** How VMs are imported. */
export interface ImportOptions {
  /** True to start VMs as they ran; otherwise they are imported halted. */
  readonly keepRunStrategy: boolean
}

/** Objects of an export, as they are to be created. UIDs in them are those of the export. */
export interface Export {
  /** Instance types and preferences, in the version that is stored here. */
  readonly hardware: readonly KubeObject[]
  readonly revisions: readonly ControllerRevision[]
  readonly snapshots: readonly VirtualMachineSnapshot[]
  readonly contents: readonly VirtualMachineSnapshotContent[]
  readonly vms: readonly VirtualMachine[]
  /** Objects of other kinds, as `Kind namespace/name`. */
  readonly skipped: readonly string[]
}

/**
 * Sorts the objects of an export, in any order and served version, and removes what belongs to the
 * other cluster. Pure.
 */
export function readExport(objects: readonly KubeObject[], options: ImportOptions): Export {
  const known = objects.filter((object) => importedKindOf(object) !== undefined && !isStartRevision(object))
  const of = <T extends KubeObject>(...kinds: readonly string[]): T[] => known.filter(({ kind = '' }) => kinds.includes(kind)) as T[]
  return {
    hardware: of(
      'VirtualMachineClusterInstancetype',
      'VirtualMachineClusterPreference',
      'VirtualMachineInstancetype',
      'VirtualMachinePreference',
    ).map((object) => cleaned(convertVersion(object, 'instancetype.kubevirt.io/v1beta1'))),
    revisions: of<ControllerRevision>('ControllerRevision').map(revisionToCreate),
    snapshots: of<VirtualMachineSnapshot>('VirtualMachineSnapshot').map((snapshot) => marked(snapshot)),
    contents: of<VirtualMachineSnapshotContent>('VirtualMachineSnapshotContent').map((content) => marked(content)),
    vms: of<VirtualMachine>('VirtualMachine').map((vm) => vmToCreate(vm, options)),
    skipped: objects.filter((object) => !known.includes(object)).map(describe),
  }
}

/** Names an object in messages. */
export function describe({ kind = '', metadata }: KubeObject): string {
  const { namespace, name = '' } = metadata ?? {}
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
}

/** KubeVirt records with these what a guest was started from; a start here records its own. */
function isStartRevision({ kind, metadata }: KubeObject): boolean {
  return kind === 'ControllerRevision' && metadata?.name?.startsWith('revision-start-vm-') === true
}

/** Keeps the owners: they get the revision again once they are created. */
function revisionToCreate(revision: ControllerRevision): ControllerRevision {
  const clean = cleaned(revision)
  const { ownerReferences = [] } = revision.metadata
  return ownerReferences.length === 0 ? clean : { ...clean, metadata: { ...clean.metadata, ownerReferences } }
}

/** Returns an object in the version that is stored here, without what its server has set. */
function cleaned<T extends KubeObject>(object: T): T {
  const { status: _, ...rest } = object as T & { readonly status?: unknown }
  const { name, namespace, labels, annotations } = object.metadata ?? {}
  const metadata = { name, namespace, labels, annotations }
  const kind = importedKindOf(object)
  return {
    ...rest,
    ...(kind === undefined ? {} : { apiVersion: apiVersionOf(kind.resource) }),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
  } as unknown as T
}

function marked<T extends KubeObject>(object: T): T {
  const clean = cleaned(object)
  const annotations = { ...clean.metadata?.annotations, [importedFromAnnotation]: object.metadata?.uid ?? '' }
  return { ...clean, metadata: { ...clean.metadata, annotations } }
}

function vmToCreate(vm: VirtualMachine, { keepRunStrategy }: ImportOptions): VirtualMachine {
  const clean = marked(vm)
  const { running, runStrategy, ...spec } = withRevisionNames(clean.spec, capturedNames(vm))
  const strategy = runStrategy ?? (running === true ? 'Always' : 'Halted')
  const annotations = keepRunStrategy
    ? clean.metadata.annotations
    : { ...clean.metadata.annotations, [importedRunStrategyAnnotation]: strategy }
  return {
    ...clean,
    metadata: { ...clean.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...withFirmwareUuid(spec, vm.metadata.name ?? ''), runStrategy: keepRunStrategy ? strategy : 'Halted' },
  } as VirtualMachine
}

/** Names of the revisions that hold what the VM was created with. */
function capturedNames({ spec, status }: VirtualMachine): Partial<Record<Family, string>> {
  const nameOf = (family: Family): string | undefined =>
    spec[family]?.revisionName || status?.[`${family}Ref`]?.controllerRevisionRef?.name || undefined
  const [instancetype, preference] = [nameOf('instancetype'), nameOf('preference')]
  return { ...(instancetype === undefined ? {} : { instancetype }), ...(preference === undefined ? {} : { preference }) }
}

/** A guest is known by its UUID to licences and inventories. */
function withFirmwareUuid(spec: Omit<VirtualMachine['spec'], 'running' | 'runStrategy'>, name: string): typeof spec {
  const { domain } = spec.template.spec
  const firmware = { ...domain?.firmware, uuid: domain?.firmware?.uuid || firmwareUuidOf(name) }
  return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, domain: { ...domain, firmware } } } }
}
