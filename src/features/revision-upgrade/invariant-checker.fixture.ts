import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import {
  changesBetween,
  decodeRevision,
  type Family,
  formerNamesOf,
  type Reference,
  referencesOf,
  replacedNames,
  startRevisionPrefix,
} from '#features/instancetype/index.ts'
import type { SimulatedApi } from './simulated-api.fixture.ts'

/** API in memory, or the objects of a real one. */
export type Watched = Pick<SimulatedApi, 'get' | 'list' | 'onWrite' | 'process'>

const families: readonly Family[] = ['instancetype', 'preference']

/**
 * Checks after each write that all references resolve to decodable revisions with unchanged
 * content.
 */
export class InvariantChecker {
  readonly #api: Watched
  readonly #contents: unknown[] = []
  /** Content of each name, which must never change. */
  readonly #meaning = new Map<string, number>()
  readonly #startedAs = new Map<string, string>()
  /** Effective hardware of each VM's next start. */
  readonly #inForce = new Map<string, string>()

  constructor(api: Watched) {
    this.#api = api
    for (const revision of api.list(controllerRevisions)) this.#learn(revision)
    const before = api.onWrite
    api.onWrite = (verb, object) => {
      before(verb, object)
      if (verb === 'create' && object.kind === 'ControllerRevision') this.#learn(object as ControllerRevision)
      this.check(`${verb} ${object.kind} ${object.metadata?.name}`)
    }
  }

  /** @throws AssertionError when a reference is dangling or its content has changed */
  check(after: string): void {
    for (const vm of this.#api.list(virtualMachines)) {
      const ids = new Map(referencesOf(vm).map((reference) => [reference.path, this.#checkReference(reference, vm, after)]))
      const inForce = families.map(
        (family) => ids.get(`/spec/${family}/revisionName`) ?? ids.get(`/status/${family}Ref/controllerRevisionRef/name`),
      )
      this.#checkInForce(vm, inForce.join(), after)
      this.#checkGuest(vm, after)
    }
    for (const content of this.#api.list(virtualMachineSnapshotContents)) {
      for (const reference of referencesOf(content)) this.#checkReference(reference, content as KubeObject, after)
    }
  }

  /** Only users and the VM controller may change the effective hardware, not the upgrade. */
  #checkInForce({ metadata }: VirtualMachine, now: string, after: string): void {
    const { uid = '', name } = metadata
    if (this.#api.process.startsWith('upgrader'))
      assert.equal(now, this.#inForce.get(uid) ?? now, `after ${after}: ${name} is something else`)
    this.#inForce.set(uid, now)
  }

  #checkGuest(vm: VirtualMachine, after: string): void {
    const { namespace = '', name = '' } = vm.metadata
    const vmi = this.#api.get(virtualMachineInstances, namespace, name)
    if (vmi === undefined) return
    const start = this.#api.get(controllerRevisions, namespace, vmi.status?.virtualMachineRevisionName ?? '')
    assert.ok(start, `after ${after}: what the guest of ${name} was started from is gone`)
    const ids = referencesOf(start, vm).map((reference) => this.#checkReference(reference, vm, after))
    const uid = vmi.metadata.uid ?? ''
    const startedAs = ids.join()
    assert.equal(this.#startedAs.get(uid) ?? startedAs, startedAs, `after ${after}: the guest of ${name} was started as something else`)
    this.#startedAs.set(uid, startedAs)
  }

  #checkReference({ revision, written, family, namespace, referrer, path }: Reference, holder: KubeObject, after: string): number {
    const found = [revision, ...formerNamesOf(holder as Pick<VirtualMachine, 'status'>, revision)]
      .map((name) => this.#api.get(controllerRevisions, namespace, name))
      .find((candidate) => candidate !== undefined)
    const where = `${referrer.kind} ${referrer.name}${path}: ${written}`
    assert.ok(found, `after ${after}: ${where} does not exist`)
    const id = this.#idOf(decodeRevision(found, family).object.spec)
    assert.equal(id, this.#meaning.get(written) ?? id, `after ${after}: ${where} means something else`)
    return id
  }

  #learn(revision: ControllerRevision): void {
    const name = revision.metadata.name ?? ''
    if (name.startsWith(startRevisionPrefix)) return
    for (const family of families) {
      try {
        const id = this.#idOf(decodeRevision(revision, family).object.spec)
        assert.equal(id, this.#meaning.get(name) ?? id, `${name} means something else`)
        this.#meaning.set(name, id)
        return
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
    }
  }

  #idOf(spec: unknown): number {
    const known = this.#contents.findIndex((content) => changesBetween(content, spec).length === 0)
    return known === -1 ? this.#contents.push(spec) - 1 : known
  }
}

/** Describes all references, for a message. */
export function describeAll(api: Watched): string {
  const lines = api.list(virtualMachines).map((vm) => {
    const places = referencesOf(vm).map(
      ({ path, written, revision }) => `\n  ${path} ${written}${written === revision ? '' : ` = ${revision}`}`,
    )
    const given = Object.entries(replacedNames(vm)).map(([old, now]) => `\n  ${old} -> ${now}`)
    return `${vm.metadata.name}${places.join('')}${given.join('')}`
  })
  for (const { metadata, status } of api.list(virtualMachineInstances))
    lines.push(`guest ${metadata.name}: ${status?.virtualMachineRevisionName}`)
  for (const revision of api.list(controllerRevisions)) {
    const named = referencesOf(revision).map(({ written }) => `\n  ${written}`)
    lines.push(`${revision.metadata.name} ${JSON.stringify(revision.data?.['apiVersion'])}${named.join('')}`)
  }
  return lines.join('\n')
}
