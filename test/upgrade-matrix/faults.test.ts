import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { configMaps, secrets, services } from '#api/core/v1/resources.ts'
import { clusterRoles } from '#api/rbac/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { thingsName } from '../support/fakes/fake-release-contents.ts'
import { Installation, installed } from '../support/installation.ts'

const namespace = 'kubevirt'

suite('during an upgrade to the next version, a CRD', () => {
  test('keeps its stored versions until all objects are migrated', async () => {
    await using system = await installed(1, 'v1.0.0')
    const stored = (storedVersions: string[]): Promise<unknown> => {
      const body = { status: { storedVersions } }
      return system.client.patch(customResourceDefinitions, { name: thingsName }, { type: 'merge', body }, { subresource: 'status' })
    }
    await stored(['v1alpha1'])
    system.startOperator()
    await system.ask({ imageTag: 'v1.2.0' })
    await system.runUntil(() => system.isAt('v1.2.0'))
    assert.equal((await system.ground()).kinds, 'v1alpha1,v1alpha2,v1alpha3*')
    await stored(['v1alpha3'])
    await system.ask({ imageTag: 'v1.2.1' })
    await system.runUntil(() => system.isAt('v1.2.1'))
    assert.equal((await system.ground()).kinds, 'v1alpha2,v1alpha3*')
  })
})

suite('certificates that expire without a leader', () => {
  test('during an upgrade are replaced, and the upgrade continues', async () => {
    await using system = await Installation.create(2, { imageTag: 'v1.0.0' })
    const longAgo = { ...systemClock, now: () => systemClock.now() - 30 * 24 * 3_600_000 }
    const stop = system.startOperator((client) => client, longAgo)
    const pemOf = async (name: string): Promise<string> => {
      const { data } = await system.client.get(secrets, { namespace, name })
      return Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString()
    }
    const validTo = async (name: string): Promise<number> => Date.parse(new X509Certificate(await pemOf(name)).validTo)
    await system.runUntil(() => system.isAt('v1.0.0'))
    await system.ask({ imageTag: 'v1.1.0' })
    await system.runUntil(async () => (await system.kubevirt()).status?.steadyvm?.upgrade?.stage === 'NodeAgents')
    await stop()
    for (const name of ['kubevirt-ca', 'kubevirt-virt-api-certs']) assert.ok((await validTo(name)) < Date.now(), name)
    system.startOperator()
    await system.runUntil(() => system.isAt('v1.1.0'))
    await system.runUntil(async () => (await validTo('kubevirt-virt-api-certs')) > Date.now())
    const authority = new X509Certificate(await pemOf('kubevirt-ca'))
    assert.ok(new X509Certificate(await pemOf('kubevirt-virt-api-certs')).checkIssued(authority))
    const { data } = await system.client.get(configMaps, { namespace, name: 'kubevirt-ca' })
    assert.ok(data?.['ca-bundle']?.includes(authority.toString().trim()), 'nobody is told of the new authority')
  })
})

suite('managed objects that a user edits during an upgrade', { concurrency: 4 }, () => {
  const edits: readonly (readonly [string, ResourceType<KubeObject>, string, object | undefined])[] = [
    ['the image of the API', deployments as never, 'virt-api', containerOf('virt-api')],
    ['the number of controllers', deployments as never, 'virt-controller', { spec: { replicas: 0 } }],
    ['the image of the agents', daemonSets as never, 'virt-handler', containerOf('virt-handler')],
    ['a Deployment that is deleted', deployments as never, 'virt-controller', undefined],
    ['the DaemonSet that is deleted', daemonSets as never, 'virt-handler', undefined],
    ['the service that is deleted', services as never, 'virt-api', undefined],
    ['a role that is emptied', clusterRoles as never, 'things', { rules: [] }],
    ['a role that is deleted', clusterRoles as never, 'things', undefined],
  ]
  for (const [what, resource, name, body] of edits) {
    test(`${what} is restored at every stage`, async () => {
      await using system = await installed(2, 'v1.0.0')
      const key = { name, ...(resource === (clusterRoles as never) ? {} : { namespace }) }
      const met = new Set<string>()
      system.check = async () => {
        const { stage } = (await system.kubevirt()).status?.steadyvm?.upgrade ?? {}
        if (stage === undefined || met.has(stage)) return
        met.add(stage)
        if (body === undefined) await system.client.delete(resource, key).catch(() => {})
        else await system.client.patch(resource, key, { type: 'merge', body }).catch(() => {})
      }
      system.startOperator()
      await system.ask({ imageTag: 'v1.1.0' })
      const isWhole = async (): Promise<boolean> => {
        const { items } = await system.client.list(deployments, { namespace })
        const areThere = (await system.client.list(services, { namespace })).items.some(({ metadata }) => metadata.name === 'virt-api')
        return areThere && items.length === 2 && items.every(({ spec }) => spec.replicas === 1) && (await system.isAt('v1.1.0'))
      }
      await system.runUntil(async () => (await isWhole()) && (await system.ground()).rights === 'of-v1.1')
      assert.ok(met.size >= 3, [...met].join())
    })
  }
})

function containerOf(name: string): object {
  return { spec: { template: { spec: { containers: [{ name, image: 'registry.test/of-a-user:v1' }] } } } }
}
