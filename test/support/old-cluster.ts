import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import { type Instancetype, type Preference, referencesOf } from '#features/instancetype/index.ts'
import { withOwners, type LegacyShape } from '#features/revision-upgrade/legacy-revisions.fixture.ts'
import { eventually, type TestMachine } from './machine.ts'

/** A client on kubectl: lists whole objects, and writes many at once. */
export class OldCluster {
  readonly #machine: TestMachine

  constructor(machine: TestMachine) {
    this.#machine = machine
  }

  async list<T extends KubeObject>(...kinds: string[]): Promise<T[]> {
    const { items } = JSON.parse(await this.#machine.kubectl(['get', kinds.join(), '-o', 'json'])) as { items: T[] }
    return items
  }

  /** Creates all objects with one request to kubectl. */
  async create(objects: readonly object[]): Promise<void> {
    await this.#machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  }

  /**
   * Stops the operator and then the controllers, as an administrator would. The returned function
   * restarts the operator.
   */
  async stopControllers(): Promise<() => Promise<void>> {
    const start = await this.#machine.stopOperator()
    await this.#machine.kubectl(['scale', 'deployment/virt-controller', '-n', 'kubevirt', '--replicas=0'])
    await eventually(
      () => this.#machine.processes().every(({ role }) => role !== 'virt-controller'),
      () => 'virt-controller does not end',
    )
    return start
  }

  /**
   * Replaces the revisions of an object by those that a release with this format would have left:
   * copies of the same content, under the names of that release, also for the start revision.
   * Deletes the current revisions.
   */
  async convertToLegacy(
    object: VirtualMachine | VirtualMachineSnapshotContent,
    shape: LegacyShape,
    how: LegacyOptions,
  ): Promise<readonly string[]> {
    const revisions = (await this.list<ControllerRevision>('controllerrevision')).filter((revision) => isOwnedBy(revision, how.owner))
    const old = how.published.map((published) => withOwners(shape.revision(how.owner.name, published), [how.owner]))
    const names = old.map(({ metadata }) => metadata.name ?? '')
    const starts = revisions.filter(({ metadata }) => metadata.name?.startsWith('revision-start-vm-') === true)
    await this.#machine.kubectl(['delete', 'controllerrevision', ...revisions.map(({ metadata }) => metadata.name ?? '')])
    await this.create([...old, ...starts.map((start) => startNaming(start, names))].map(asNew))
    await this.point(object, names, how.isExplicit === true)
    return names
  }

  /**
   * Sets the references of an object to these revisions: in its status, or in its spec as until
   * KubeVirt 1.4.
   */
  async point(object: KubeObject, [instancetype = '', preference = '']: readonly string[], isExplicit = false): Promise<void> {
    const names = { instancetype, preference }
    const patch = (operations: readonly JsonPatchOperation[], ...more: string[]): Promise<string> => {
      const what = `${object.kind ?? ''}/${object.metadata?.name ?? ''}`
      return this.#machine.kubectl(['patch', what, '--type=json', '-p', JSON.stringify(operations), ...more])
    }
    if (isExplicit) {
      await patch(Object.entries(names).map(([family, value]) => ({ op: 'add', path: `/spec/${family}/revisionName`, value })))
      await patch(
        ['instancetypeRef', 'preferenceRef'].map((ref) => ({ op: 'remove', path: `/status/${ref}` })),
        '--subresource=status',
      )
      return
    }
    const operations = referencesOf(object).map(({ path, family }) => ({ op: 'replace', path, value: names[family] }) as const)
    await patch(operations, ...(object.kind === 'VirtualMachine' ? ['--subresource=status'] : []))
  }
}

/** Options for the conversion of an object to an old form. */
export interface LegacyOptions {
  readonly owner: NonNullable<ControllerRevision['metadata']['ownerReferences']>[number]
  readonly published: readonly (Instancetype | Preference)[]
  readonly isExplicit?: boolean
}

function isOwnedBy({ metadata }: ControllerRevision, { uid }: LegacyOptions['owner']): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
}

function startNaming(start: ControllerRevision, [instancetype = '', preference = '']: readonly string[]): ControllerRevision {
  const spec = start.data?.['spec'] as VirtualMachine['spec']
  const named = {
    ...spec,
    instancetype: { ...spec.instancetype, revisionName: instancetype },
    preference: { ...spec.preference, revisionName: preference },
  }
  return { ...start, data: { ...start.data, spec: named } }
}

function asNew(revision: ControllerRevision): object {
  const { name, labels, ownerReferences } = revision.metadata
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, labels, ownerReferences },
    data: revision.data,
    revision: revision.revision,
  }
}
