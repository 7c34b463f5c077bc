import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { componentUser, nodeNameExtra } from '#api/access/component-users.ts'
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from '#api/admissionregistration/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import { namespaces, nodes } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createPolicyAdmission } from '#apiserver/admission/policy/policy-admission.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { openForTest, scratch } from '#apiserver/storage/store.fixture.ts'
import type { Client } from '#client/client.ts'
import { agentPolicies } from './agent-policies.ts'

/** A cluster with two nodes and a guest on the first, and clients of virt-handlers. */
async function startWithPolicies(): Promise<AsyncDisposable & { readonly admin: Client; readonly handler: (node?: string) => Client }> {
  const directory = scratch()
  const store = openForTest(directory.file)
  const vmis = defineResource({ ...virtualMachineInstances, hasStatus: false, custom: true })
  const registry = createResourceRegistry([...builtinDefinitions(), vmis])
  const policies = createPolicyAdmission({ store, registry, randomUuid: randomUUID, authorize: () => ({ allowed: true }) as never })
  const verbs = createVerbs({ store, registry, admission: [policies], now: () => 0, randomUuid: randomUUID, random: () => 0.5 })
  const admin = createInProcessClient({ verbs, registry, user: { username: 'admin', groups: ['system:masters'] } })
  for (const object of agentPolicies('kubevirt')) {
    const resource = object.kind === 'ValidatingAdmissionPolicy' ? validatingAdmissionPolicies : validatingAdmissionPolicyBindings
    await admin.create<KubeObject>(resource as ResourceType<KubeObject>, object)
  }
  await admin.create(namespaces, { metadata: { name: 'default' } })
  for (const name of ['one', 'two']) {
    await admin.create(nodes, { metadata: { name, labels: { zone: 'a' }, annotations: { note: 'b' } }, spec: { podCIDR: '10.0.0.0/24' } })
  }
  return {
    admin,
    handler: (node) => {
      const extra = node === undefined ? {} : { extra: { [nodeNameExtra]: [node] } }
      return createInProcessClient({ verbs, registry, user: { username: componentUser('virt-handler'), groups: [], ...extra } })
    },
    async [Symbol.asyncDispose]() {
      policies[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
      directory[Symbol.dispose]()
    },
  }
}

const merge = (client: Client, name: string, body: object): Promise<Node> => client.patch(nodes, { name }, { type: 'merge', body })
const forbidden = (text: RegExp) => (error: unknown) => error instanceof StatusError && error.code === 403 && text.test(error.message)

suite('agentPolicies()', () => {
  const metadata = (labels: object, annotations: object = {}): object => ({ metadata: { labels, annotations } })
  const allowed: readonly object[] = [
    metadata({ 'kubevirt.io/schedulable': 'true', 'cpu-model.node.kubevirt.io/Nehalem': 'true', 'steadyvm.io/accelerator': 'kvm' }),
    metadata({}, { 'kubevirt.io/heartbeat': '"2026-01-01"', 'steadyvm.io/agent': '{}', 'steadyvm.io/launcher-image': 'i' }),
    metadata({ 'kubevirt.io/schedulable': null, 'later.node.kubevirt.io/feature': 'true' }),
  ]
  const refused: readonly (readonly [body: object, message: RegExp])[] = [
    [metadata({ zone: 'b' }), /modify labels of kubevirt\.io/],
    [metadata({ zone: null }), /modify labels of kubevirt\.io/],
    [metadata({ 'notkubevirt.io/zone': 'b' }), /modify labels of kubevirt\.io/],
    [metadata({ 'kubevirt.io.example.com/zone': 'b' }), /modify labels of kubevirt\.io/],
    [metadata({ 'node-role.kubernetes.io/control-plane': '' }), /modify labels of kubevirt\.io/],
    [metadata({}, { note: null }), /modify annotations of kubevirt\.io/],
    [{ spec: { unschedulable: true } }, /labels and annotations of its node/],
    [{ spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'k', effect: 'NoSchedule' }] } }, /labels and annotations of its node/],
    [{ metadata: { finalizers: ['example.com/f'] } }, /labels and annotations of its node/],
    [{ metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] } }, /labels and annotations of its node/],
  ]

  test('allow a virt-handler to report its node, and nothing else of it', async () => {
    await using cluster = await startWithPolicies()
    const handler = cluster.handler('one')
    for (const body of allowed) await merge(handler, 'one', body)
    for (const [body, message] of refused) await assert.rejects(merge(handler, 'one', body), forbidden(message), JSON.stringify(body))
    for (const [body] of refused) await merge(cluster.admin, 'one', body)
  })

  test('refuse other nodes, and a virt-handler whose node is unknown', async () => {
    await using cluster = await startWithPolicies()
    for (const body of allowed) {
      await assert.rejects(merge(cluster.handler('two'), 'one', body), forbidden(/of node two is not allowed to modify node one/))
      await assert.rejects(merge(cluster.handler(), 'one', body), forbidden(/token does not name a node/))
    }
  })

  test('allow a virt-handler to modify guests that are on its node, leave it or come to it', async () => {
    await using cluster = await startWithPolicies()
    const { admin } = cluster
    const guests: readonly (readonly [labels: Record<string, string>, status: object, node: string])[] = [
      [{}, { nodeName: 'one' }, 'one'],
      [{ 'kubevirt.io/nodeName': 'one' }, {}, 'one'],
      [{}, { nodeName: 'two', migrationState: { sourceNode: 'one' } }, 'one'],
      [{}, { nodeName: 'two', migrationState: { targetNode: 'one' } }, 'one'],
    ]
    for (const [index, [labels, status, node]] of guests.entries()) {
      const key = { namespace: 'default', name: `vmi-${index}` }
      await admin.create(virtualMachineInstances, { metadata: { ...key, labels }, spec: { domain: { devices: {} } }, status })
      const patch = { type: 'merge', body: { status: { phase: 'Running' } } } as const
      await cluster.handler(node).patch(virtualMachineInstances, key, patch)
      const why = new RegExp(`of node three is not allowed to modify vmi-${index}, which is not on it`)
      await assert.rejects(cluster.handler('three').patch(virtualMachineInstances, key, patch), forbidden(why))
      // A virt-handler cannot claim a guest by the same request.
      const claim = { type: 'merge', body: { status: { nodeName: 'three' } } } as const
      await assert.rejects(cluster.handler('three').patch(virtualMachineInstances, key, claim), forbidden(why))
    }
  })
})
