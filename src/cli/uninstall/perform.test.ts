import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { configMaps, namespaces } from '#api/core/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { clusterRoles } from '#api/rbac/v1/resources.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { TransportError, type Client } from '#client/client.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { startPlatform, stateIn, type Platform } from '#features/hyperconverged/reconcile/platform.fixture.ts'
import { testContext } from '../cli-context.fixture.ts'
import { CommandError, EXIT } from '../context.ts'
import { performUninstallation, type UninstallResult } from './perform.ts'

const namespace = 'kubevirt'
const labels = { 'app.kubernetes.io/part-of': 'steadyvm' }
const manifests = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'ours', labels }, rules: [] },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'theirs', labels }, rules: [] },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'hyperconvergeds.hco.kubevirt.io' } },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'kubevirts.kubevirt.io' } },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'componentoverrides.steadyvm.io' } },
] as KubeObject[]

suite('uninstall without the operator of HyperConverged', () => {
  let platform: Platform
  const nothing: () => void = () => {}
  beforeEach(async () => {
    platform = await startPlatform()
    const { client } = platform
    const cdis = await platform.install('cdi')
    const stop = platform.start()
    await platform.until((hco) => ['kubevirt', 'cdi'].every((name) => stateIn(hco, name)?.object !== undefined))
    await platform.settled()
    await stop()
    await client.create(clusterRoles, { metadata: { name: 'ours', labels }, rules: [] })
    // As KubeVirt's own operator may have it.
    await client.create(clusterRoles, { metadata: { name: 'theirs' }, rules: [] })
    await client.create(validatingWebhookConfigurations, { metadata: { name: 'hyperconverged-operator-validator' }, webhooks: [] })
    await client.create(configMaps, { metadata: { namespace, name: 'hyperconverged-operator-ca' } })
    platform.endDeletions([kubeVirts, cdis, clusterRoles, configMaps, validatingWebhookConfigurations, customResourceDefinitions])
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  const perform = (through: (client: Client) => Client, timeoutMs = 2_000): Promise<UninstallResult> => {
    const test = testContext()
    const context = { ...test.context, sleep: () => sleep(5), now: () => (test.nowMs += 1) }
    return performUninstallation(context, { client: through(platform.client), manifests, scope: 'all', timeoutMs })
  }
  const assertRemoved = async (): Promise<void> => {
    const { client } = platform
    const named = async (list: Promise<{ readonly items: readonly KubeObject[] }>): Promise<readonly unknown[]> =>
      (await list).items.map(({ metadata }) => metadata?.name)
    assert.deepEqual(
      platform.ended.filter((title) => /^(KubeVirt|CDI)\//.test(title)),
      ['KubeVirt/kubevirt-kubevirt-hyperconverged', 'CDI/cdi-kubevirt-hyperconverged'],
    )
    assert.deepEqual(await named(client.list(customResourceDefinitions)), ['cdis.cdi.kubevirt.io'])
    assert.deepEqual(await named(client.list(clusterRoles)), ['theirs'])
    assert.deepEqual(await named(client.list(validatingWebhookConfigurations)), [])
    assert.deepEqual(await named(client.list(configMaps, { namespace })), [])
    assert.ok((await named(client.list(namespaces))).includes(namespace))
  }

  test('it removes the components itself, in order, and what others have installed stays', async () => {
    const { left } = await perform((client) => client)
    assert.deepEqual(left, [])
    await assertRemoved()
    assert.deepEqual((await perform((client) => client)).deleted, [])
  })

  test('it continues after an interruption at any write', async () => {
    for (const moment of ['before', 'after'] as const)
      for (const write of [1, 2, 3])
        await perform((client) => crashingClient(client, { write, moment }, nothing)).catch((error: unknown) =>
          assert.ok(error instanceof TransportError || error instanceof CommandError, String(error)),
        )
    await perform((client) => client)
    await assertRemoved()
  })

  test('it says what is awaited when time is over', async () => {
    const refusing = (client: Client): Client => ({
      ...client,
      delete: (resource, key, options) =>
        resource.plural === 'kubevirts' ? Promise.reject(badRequest('guests')) : client.delete(resource, key, options),
    })
    await assert.rejects(perform(refusing, 60), (error) => {
      assert.ok(error instanceof CommandError)
      assert.equal(error.exitCode, EXIT.timeout)
      assert.match(error.message, /kubevirt: its KubeVirt cannot be deleted: guests/)
      return true
    })
    await perform((client) => client)
    await assertRemoved()
  })
})
