import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from '#api/admissionregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { badRequest, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { deletionPolicy } from '../../manifests/deletion-policy.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, stateIn, type Platform } from '../../reconcile/platform.fixture.ts'
import { admitDeletion } from './admit.ts'

const { namespace } = hyperConvergedKey
const definition = { name: 'hyperconvergeds.hco.kubevirt.io' }
const usual = { namespace, name: 'kubevirt-kubevirt-hyperconverged' }
const order = [
  'SSP/ssp-kubevirt-hyperconverged',
  `KubeVirt/${usual.name}`,
  'CDI/cdi-kubevirt-hyperconverged',
  'PriorityClass/kubevirt-cluster-critical',
]
const guests = 'there are still Virtual Machine Instances present'

suite('deletion of HyperConverged', () => {
  let platform: Platform
  let kinds: readonly ResourceType<KubeObject>[]
  beforeEach(async () => {
    platform = await startPlatform()
    kinds = [kubeVirts, await platform.install('cdi'), await platform.install('ssp')] as ResourceType<KubeObject>[]
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  const installed = async (through?: (client: Client) => Client): Promise<() => Promise<void>> => {
    const stop = platform.start(through)
    await platform.until((hco) => ['kubevirt', 'cdi', 'ssp'].every((name) => stateIn(hco, name)?.object !== undefined))
    await platform.settled()
    return stop
  }
  const remove = (): Promise<void> => platform.client.delete(hyperConvergeds, hyperConvergedKey)
  const left = async (): Promise<number> =>
    (await Promise.all(kinds.map((kind) => found(platform.client.list(kind))))).flatMap((list) => list?.items ?? []).length
  const condition = async (type: string): Promise<string> => {
    const { status, reason, message } = findCondition((await platform.hyperconverged()).status?.conditions, type) ?? {}
    return `${status} ${reason} ${message}`
  }
  /** Deletions of KubeVirt objects are refused, as its webhook does while there are guests. */
  const refusing =
    (state: { isRefused: boolean }): ((client: Client) => Client) =>
    (inner) => ({
      ...inner,
      delete: (resource, key, options) =>
        resource.plural === 'kubevirts' && state.isRefused ? Promise.reject(badRequest(guests)) : inner.delete(resource, key, options),
    })
  const text = async (request: Promise<unknown>): Promise<string> => {
    const error: unknown = await request.then(() => undefined).catch((reason: unknown) => reason)
    assert.ok(error instanceof StatusError)
    return error.message
  }

  test('a finalizer is added, and nothing else is changed', async () => {
    const body = { metadata: { finalizers: ['mine.example.com/one'], labels: { mine: 'yes' } } }
    const { spec } = await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body })
    await installed()
    const now = await platform.hyperconverged()
    assert.deepEqual(now.metadata.finalizers, ['mine.example.com/one', 'kubevirt.io/hyperconverged'])
    assert.deepEqual([now.spec, now.metadata.labels], [spec, { mine: 'yes' }])
    platform.endDeletions(kinds)
    await remove()
    await platform.until(({ metadata }) => metadata.finalizers?.length === 1)
    assert.deepEqual((await platform.hyperconverged()).metadata.finalizers, ['mine.example.com/one'])
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata: { finalizers: null } } })
    await platform.gone()
  })

  test('objects go in order, and events name each', async () => {
    await installed()
    platform.endDeletions(kinds)
    await remove()
    await platform.gone()
    assert.deepEqual(platform.ended, order)
    assert.deepEqual(
      platform.events.filter((event) => event.startsWith('Killing')),
      order.map((title) => `Killing: ${title} is deleted`),
    )
    assert.equal(await left(), 0)
  })

  test('an adopted KubeVirt object goes, too, and objects that others have created stay', async () => {
    await platform.client.create(kubeVirts, { metadata: { namespace, name: 'kubevirt' }, spec: { imageTag: 'v9' } } as never)
    await installed()
    await platform.client.create(kinds[1] as ResourceType<KubeObject>, { metadata: { namespace, name: 'mine' } })
    platform.endDeletions(kinds)
    await remove()
    await platform.gone()
    assert.deepEqual(platform.ended, [order[0], 'KubeVirt/kubevirt', order[2], order[3]])
    assert.equal(await left(), 1)
  })

  test('a component that refuses is reported, tried again, and does not block a later success', async () => {
    const state = { isRefused: true }
    await installed(refusing(state))
    platform.endDeletions(kinds)
    await remove()
    await platform.until(async () => (await condition('Degraded')).startsWith('True DeletionFailed'))
    assert.match(
      await condition('ReconcileComplete'),
      new RegExp(`^False DeletionFailed kubevirt: its KubeVirt cannot be deleted: ${guests}$`),
    )
    assert.match(stateIn(await platform.hyperconverged(), 'cdi')?.message ?? '', /^it is deleted after KubeVirt/)
    assert.ok(platform.events.includes(`ErrVirtUninstall: KubeVirt/${usual.name} cannot be deleted: ${guests}`), platform.events.join())
    state.isRefused = false
    await platform.gone()
    assert.deepEqual(platform.ended, order)
  })

  test('an object that never goes away is named with its finalizers, and does not block a later success', async () => {
    const body = { metadata: { finalizers: ['ssp.example.com/gone'] } }
    await installed()
    const [, , ssps] = kinds
    assert.ok(ssps)
    await platform.client.patch(ssps, { namespace, name: 'ssp-kubevirt-hyperconverged' }, { type: 'merge', body })
    let isStuck = true
    platform.endDeletions(kinds, (name) => name.startsWith('ssp') && isStuck)
    await remove()
    await platform.until(async () =>
      /ssp: its SSP is being deleted since .*, held by ssp\.example\.com\/gone/.test(await condition('Progressing')),
    )
    await platform.settled()
    assert.equal(await left(), 3)
    isStuck = false
    await platform.gone()
  })

  test('an operator that is killed at any write is completed by the next one', async () => {
    for (const moment of ['before', 'after'] as const) {
      await (
        await installed()
      )()
      platform.endDeletions(kinds)
      await remove()
      for (let write = 1; write <= 4; write++) {
        let die = (): void => {}
        const dead = new Promise<void>((resolve) => (die = resolve))
        const stop = platform.start((client) => crashingClient(client, { write, moment }, die))
        await Promise.race([dead, platform.gone()])
        await stop()
      }
      platform.start()
      await platform.gone()
      assert.equal(await left(), 0)
      await platform.client.create(hyperConvergeds, { metadata: { ...hyperConvergedKey }, spec: {} })
    }
  })

  test('CRD first: its deletion is completed by the operator', async () => {
    await installed()
    platform.endDeletions(kinds)
    await platform.client.delete(customResourceDefinitions, definition)
    await platform.gone()
    assert.deepEqual(platform.ended, order)
  })

  test('a CRD of a component first: its object still counts', async () => {
    await installed()
    let isStuck = true
    platform.endDeletions(kinds, () => isStuck)
    const body = { metadata: { finalizers: ['cdi.example.com/one'] } }
    await platform.client.patch(
      kinds[1] as ResourceType<KubeObject>,
      { namespace, name: 'cdi-kubevirt-hyperconverged' },
      { type: 'merge', body },
    )
    await platform.client.delete(customResourceDefinitions, { name: 'cdis.cdi.kubevirt.io' })
    await remove()
    await platform.until(async () => /cdi: its CDI is being deleted since/.test(await condition('Progressing')))
    isStuck = false
    await platform.gone()
    assert.equal(await left(), 0)
  })

  test('the policy refuses the deletion of the namespace and of the CRD while there is the object', async () => {
    const [policy, binding] = deletionPolicy(hyperConvergedKey)
    await platform.client.create(validatingAdmissionPolicies, policy as KubeObject)
    await platform.client.create(validatingAdmissionPolicyBindings, binding as KubeObject)
    const deleteNamespace = (name = namespace): Promise<void> => platform.client.delete(namespaces, { name })
    const deleteDefinition = (): Promise<void> => platform.client.delete(customResourceDefinitions, definition)
    for (const attempt of [deleteNamespace, deleteDefinition])
      assert.match(
        await text(attempt()),
        /the HyperConverged object "kubevirt\/kubevirt-hyperconverged" exists: "kubectl delete -n kubevirt hco/,
      )
    await deleteNamespace('other')
    await remove()
    await deleteDefinition()
    while ((await found(platform.client.get(customResourceDefinitions, definition))) !== undefined) await sleep(5)
    // Without the kind of its parameter.
    await deleteNamespace()
  })

  test('the webhook asks the components, and refuses with their messages', async () => {
    await installed()
    const ask = async (through: (client: Client) => Client): Promise<string> => {
      const answer = await admitDeletion(through(platform.client), { oldObject: await platform.hyperconverged() })
      return answer.allowed ? 'allowed' : answer.error.message
    }
    const before = await left()
    assert.equal(await ask((client) => client), 'allowed')
    const refusal = await ask(refusing({ isRefused: true }))
    assert.match(refusal, new RegExp(`kubevirt refuses the deletion of its KubeVirt "${usual.name}": ${guests}$`))
    assert.equal(await left(), before)
  })
})
