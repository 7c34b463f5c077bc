import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { discoverGroups } from './api-groups.ts'
import { compareVersions } from './compare-versions.ts'
import { aggregatedDiscovery, apiGroupList, apiResourceList, singleApiGroup } from './documents.ts'
import { discoveryForm } from './discovery-handler.ts'
import { checkHealth } from './health.ts'

const pods = defineResource({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  extraSubresources: [{ name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] }],
})
const vms = (version: string) =>
  defineResource({
    group: 'kubevirt.io',
    version,
    kind: 'VirtualMachine',
    plural: 'virtualmachines',
    namespaced: true,
    storageApiVersion: 'kubevirt.io/v1',
  })
const deployments = defineResource({ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true })
const groups = discoverGroups([vms('v1alpha3'), vms('v1'), deployments, pods], [])

test('compareVersions() sorts stable and newer versions first', () => {
  const sorted = ['v1beta1', 'other', 'v2', 'v1alpha1', 'v1', 'v1beta2', 'v10'].toSorted(compareVersions)
  assert.deepEqual(sorted, ['v10', 'v2', 'v1', 'v1beta2', 'v1beta1', 'v1alpha1', 'other'])
})

suite('discovery', () => {
  test('lists groups and prefers the stable version', () => {
    const { groups: listed } = apiGroupList(groups) as { groups: { name: string; preferredVersion: { version: string } }[] }
    assert.deepEqual(
      listed.map(({ name, preferredVersion }) => [name, preferredVersion.version]),
      [
        ['apps', 'v1'],
        ['kubevirt.io', 'v1'],
      ],
    )
    assert.equal(singleApiGroup(groups, 'nothing'), undefined)
    assert.equal(singleApiGroup(groups, ''), undefined)
  })

  test('lists resources with their subresources', () => {
    const { resources } = apiResourceList(groups, '', 'v1') as { resources: Record<string, unknown>[] }
    assert.deepEqual(
      resources.map(({ name }) => name),
      ['pods', 'pods/eviction', 'pods/status'],
    )
    assert.deepEqual(resources[0]?.['shortNames'], ['po'])
    assert.equal(resources[1]?.['group'], 'policy')
    assert.equal(resources[2]?.['group'], undefined)
    assert.equal(apiResourceList(groups, 'apps', 'v2'), undefined)
  })

  // The value of kube-apiserver for pods, which migration tools compare.
  test('hashes the storage version as Kubernetes does', () => {
    const { resources } = apiResourceList(groups, '', 'v1') as { resources: Record<string, unknown>[] }
    assert.equal(resources[0]?.['storageVersionHash'], 'xPOwRZ+Yhw8=')
  })

  test('serves everything in one document', () => {
    const { items } = aggregatedDiscovery(groups, 'groups', 'v2') as {
      items: { metadata: { name: string }; versions: { version: string }[] }[]
    }
    assert.deepEqual(
      items.map(({ metadata, versions }) => [metadata.name, ...versions.map(({ version }) => version)]),
      [
        ['apps', 'v1'],
        ['kubevirt.io', 'v1', 'v1alpha3'],
      ],
    )
    const core = aggregatedDiscovery(groups, 'core', 'v2beta1') as { apiVersion: string; items: unknown[] }
    assert.equal(core.apiVersion, 'apidiscovery.k8s.io/v2beta1')
    assert.equal(core.items.length, 1)
  })
})

suite('discoveryForm()', () => {
  const form = (version: string): string => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
  test('returns the first supported form', () => {
    assert.equal(discoveryForm(`${form('v2')},${form('v2beta1')},application/json`), 'v2')
    assert.equal(discoveryForm(`${form('v3')},${form('v2beta1')},application/json`), 'v2beta1')
    assert.equal(discoveryForm(`${form('v2')};profile=nopeer,application/json`), 'v2')
  })
  test('defaults to the legacy form', () => {
    assert.equal(discoveryForm(undefined), 'legacy')
    assert.equal(discoveryForm('application/json, */*'), 'legacy')
    assert.equal(discoveryForm('text/html'), undefined)
  })
})

suite('checkHealth()', () => {
  const checks = [
    { name: 'ping', problem: () => undefined },
    { name: 'storage', problem: () => 'disk is full' },
  ]
  test('withholds the reason of a failure', () => {
    const report = checkHealth('readyz', checks, [], false)
    assert.equal(report.healthy, false)
    assert.equal(report.text, '[+]ping ok\n[-]storage failed: reason withheld\nreadyz check failed\n')
  })
  test('skips excluded checks', () => {
    const { healthy, text } = checkHealth('readyz', checks, ['storage'], true)
    assert.equal(healthy, true)
    assert.equal(text, '[+]ping ok\n[+]storage excluded: ok\nreadyz check passed\n')
  })
  test('names exclusions that match nothing', () => {
    const { text } = checkHealth('livez', checks.slice(0, 1), ['b', 'a', 'b'], true)
    assert.equal(text, '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nlivez check passed\n')
  })
  test('answers ok without details', () => assert.equal(checkHealth('readyz', checks.slice(0, 1), [], false).text, 'ok'))
})
