import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type Family, formerNamesOf, type Reference, referencesOf } from '#features/instancetype/index.ts'
import { isRestoreActive } from '#features/snapshot/index.ts'
import { restoringAnnotation } from '#features/vm/index.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import { RevisionContents } from './revision-contents.fixture.ts'
import { namespace } from './vm-workload.fixture.ts'

const families: readonly Family[] = ['instancetype', 'preference']
/** Writers that may change the next start of a VM. */
const free = ['', 'vm', 'virtualmachinerestore']

/**
 * Checks after each write that every referenced revision exists, can be decoded, and has unchanged
 * content.
 */
export class InvariantChecker {
  readonly #api: SimulatedApi
  readonly #meanings = new RevisionContents()
  /** Next start of each VM, by its UID. */
  readonly #inForce = new Map<string, string>()
  /** All former states of each VM, by its UID. */
  readonly #ever = new Map<string, Set<number>>()
  /** Content of guests and snapshots, by UID. Immutable. */
  readonly #fixed = new Map<string, string>()

  constructor(api: SimulatedApi) {
    this.#api = api
  }

  /** @throws AssertionError when the write was one too many, or one too early */
  check(verb: string, object: KubeObject, old?: KubeObject): void {
    const after = `after ${this.#api.process} did ${verb} ${object.kind} ${object.metadata?.name}`
    // Owned objects are deleted together with their owner, one after the other.
    if (verb === 'collect') return
    for (const vm of this.#api.list(virtualMachines)) this.#seeVm(vm, after)
    for (const content of this.#api.list(virtualMachineSnapshotContents)) if (!this.#isGarbage(content)) this.#seeContent(content, after)
    for (const restore of this.#api.list(virtualMachineRestores)) this.#seeRestore(restore, after)
    if (verb === 'patch' && object.kind === 'VirtualMachine') this.#seeFreed(object as VirtualMachine, old as VirtualMachine, after)
  }

  #seeVm(vm: VirtualMachine, after: string): void {
    const { uid = '', name = '' } = vm.metadata
    const ids = new Map(referencesOf(vm).map((reference) => [reference.path, this.#idOf(reference, vm, after)]))
    const now = families
      .map((family) => ids.get(`/spec/${family}/revisionName`) ?? ids.get(`/status/${family}Ref/controllerRevisionRef/name`))
      .join()
    if (!free.includes(this.#api.process)) assert.equal(now, this.#inForce.get(uid) ?? now, `${after}: ${name} is something else`)
    this.#inForce.set(uid, now)
    const ever = this.#ever.get(uid) ?? new Set()
    this.#ever.set(uid, ever)
    for (const id of ids.values()) ever.add(id)
    // A VM without captured revisions uses the live object.
    for (const { spec } of this.#api.list(virtualMachineInstancetypes)) ever.add(this.#meanings.idOf(spec))
    this.#seeGuest(vm, after)
  }

  #seeGuest(vm: VirtualMachine, after: string): void {
    const { name = '', uid } = vm.metadata
    const vmi = this.#api.get(virtualMachineInstances, namespace, name)
    if (vmi?.metadata.ownerReferences?.[0]?.uid !== uid || vmi?.metadata.deletionTimestamp !== undefined) return
    const start = this.#api.get(controllerRevisions, namespace, vmi?.status?.virtualMachineRevisionName ?? '')
    assert.ok(start, `${after}: what the guest of ${name} was started from is gone`)
    this.#seeFixed(vmi?.metadata.uid ?? '', start, { vm, after })
  }

  #seeContent(content: VirtualMachineSnapshotContent, after: string): void {
    const { uid = '', name } = content.metadata
    const isNew = !this.#fixed.has(uid)
    const ids = this.#seeFixed(uid, content, { vm: content, after })
    const source = content.spec.source.virtualMachine?.metadata?.uid ?? ''
    const ever = this.#ever.get(source)
    const type = referencesOf(content).findIndex(({ family }) => family === 'instancetype')
    if (isNew && type >= 0) assert.ok(ever?.has(ids[type] ?? -1), `${after}: ${name} holds what its VM has never been`)
  }

  /** Objects of a deleted snapshot are deleted one after the other. */
  #isGarbage({ metadata: { ownerReferences = [] } }: VirtualMachineSnapshotContent): boolean {
    const snapshots = this.#api.list(virtualMachineSnapshots).map(({ metadata }) => metadata.uid)
    return ownerReferences.length > 0 && ownerReferences.every(({ uid }) => !snapshots.includes(uid))
  }

  /** The content is needed until the VM is free again. */
  #seeRestore(restore: VirtualMachineRestore, after: string): void {
    const vm = this.#api.get(virtualMachines, namespace, restore.spec.target.name)
    if (vm === undefined || !isRestoreActive(restore) || restoreOf(vm) !== restore.metadata.name) return
    assert.ok(this.#contentFor(restore), `${after}: ${restore.metadata.name} has nothing to restore any more`)
  }

  /** An unlocked VM has the content of the snapshot. */
  #seeFreed(vm: VirtualMachine, old: VirtualMachine, after: string): void {
    const restore = this.#api.get(virtualMachineRestores, namespace, restoreOf(old))
    const isFreed = this.#api.process === 'virtualmachinerestore' && restoreOf(old) !== '' && restoreOf(vm) === ''
    if (!isFreed || restore === undefined || !isRestoreActive(restore)) return
    if (vm.metadata.annotations?.['restore.kubevirt.io/lastRestoreUID'] !== `${restore.metadata.name}-${restore.metadata.uid}`) return
    const content = this.#contentFor(restore)
    for (const kept of content === undefined ? [] : referencesOf(content)) {
      const matcher = content?.spec.source.virtualMachine?.spec?.[kept.family]
      const ref = referencesOf(vm).find(({ path }) => path === `/status/${kept.family}Ref/controllerRevisionRef/name`)
      // A user may have changed the matcher meanwhile.
      if (matcher?.name !== vm.spec[kept.family]?.name) continue
      assert.ok(ref, `${after}: ${vm.metadata.name} has got nothing`)
      assert.equal(
        this.#idOf(ref, vm, after),
        this.#idOf(kept, content as KubeObject, after),
        `${after}: ${vm.metadata.name} has got something else`,
      )
    }
  }

  #contentFor({ spec }: VirtualMachineRestore): VirtualMachineSnapshotContent | undefined {
    const snapshot = this.#api.get(virtualMachineSnapshots, namespace, spec.virtualMachineSnapshotName)
    return this.#api.get(virtualMachineSnapshotContents, namespace, `vmsnapshot-content-${snapshot?.metadata.uid ?? ''}`)
  }

  #seeFixed(uid: string, object: KubeObject, { vm, after }: { readonly vm: KubeObject; readonly after: string }): readonly number[] {
    const ids = referencesOf(object, vm).map((reference) => this.#idOf(reference, vm, after))
    const before = this.#fixed.get(uid) ?? ids.join()
    assert.equal(ids.join(), before, `${after}: ${object.kind} ${object.metadata?.name} says something else than before`)
    this.#fixed.set(uid, before)
    return ids
  }

  /**
   * Content of a reference. While the revision is being replaced, a replaced one counts as well.
   */
  #idOf({ revision, written, family, path, referrer }: Reference, holder: KubeObject, after: string): number {
    const names = [revision, ...formerNamesOf(holder as Pick<VirtualMachine, 'status'>, revision)]
    const found = names.map((name) => this.#api.get(controllerRevisions, namespace, name)).find((one) => one !== undefined)
    const where = `${after}: ${referrer.kind} ${referrer.name} names ${written} at ${path}`
    assert.ok(found, `${where}, which is not there`)
    return this.#meanings.of(found as ControllerRevision, family, { written, where })
  }
}

/** The restore that a VM waits for. */
function restoreOf({ metadata, status }: VirtualMachine): string {
  return status?.restoreInProgress ?? metadata.annotations?.[restoringAnnotation] ?? ''
}
