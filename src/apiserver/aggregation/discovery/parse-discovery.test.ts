import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { discoverGroups } from '#apiserver/discovery/api-groups.ts'
import { aggregatedDiscovery } from '#apiserver/discovery/documents.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { fromAggregated, fromLegacy } from './parse-discovery.ts'

const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const main = { shortNames: [], categories: [], storageVersionHash: undefined }

suite('Remote discovery', () => {
  test('parses the legacy form, where resources may have subresources only', () => {
    const resources = [
      {
        name: 'flunders',
        singularName: 'flunder',
        namespaced: true,
        kind: 'Flunder',
        verbs: ['get'],
        shortNames: ['fl'],
        categories: ['all'],
      },
      {
        name: 'flunders/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'update'],
      },
      { name: 'machines/start', singularName: '', namespaced: true, kind: '', verbs: ['update'] },
    ]
    assert.deepEqual(fromLegacy(bytes({ resources }), 'example.test', 'v1'), [
      {
        plural: 'flunders',
        singular: 'flunder',
        group: 'example.test',
        version: 'v1',
        kind: 'Flunder',
        namespaced: true,
        verbs: ['get'],
        shortNames: ['fl'],
        categories: ['all'],
        storageVersionHash: undefined,
        subresources: [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'update'] }],
      },
      {
        ...main,
        plural: 'machines',
        singular: '',
        group: '',
        version: '',
        kind: '',
        namespaced: true,
        verbs: [],
        subresources: [{ name: 'start', group: 'example.test', version: 'v1', kind: '', verbs: ['update'] }],
      },
    ])
  })

  test('parses the aggregated form and serves it unchanged', () => {
    const resource = {
      resource: 'pods',
      responseKind: { group: '', version: 'v1', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      verbs: ['get'],
      shortNames: ['po'],
      subresources: [{ subresource: 'log', responseKind: { group: '', version: 'v1', kind: 'Pod' }, verbs: ['get'] }],
    }
    const items = [{ metadata: { name: 'example.test' }, versions: [{ version: 'v1', resources: [resource], freshness: 'Current' }] }]
    const resources = fromAggregated(bytes({ items }), 'example.test', 'v1') ?? assert.fail()
    const groups = discoverGroups([], [], [{ group: 'example.test', version: 'v1', resources, freshness: 'Stale' }])
    const shown = aggregatedDiscovery(groups, 'groups', 'v2') as { items: { versions: object[] }[] }
    assert.deepEqual(shown.items[0]?.versions, [{ version: 'v1', resources: [resource], freshness: 'Stale' }])
    assert.equal(fromAggregated(bytes({ items }), 'example.test', 'v2'), undefined)
  })

  test('treats malformed documents as empty', () => {
    for (const nonsense of [{}, { resources: 1 }, { resources: [null, 1, { name: 5 }] }, [], { items: [{}] }]) {
      assert.ok(fromLegacy(bytes(nonsense), 'g', 'v1').length <= 1)
      assert.equal(fromAggregated(bytes(nonsense), 'g', 'v1'), undefined)
    }
  })

  test('orders groups by APIService priorities, and hides versions served locally', () => {
    const local = ['apps', 'zoo.test', 'bar.test'].map((group) =>
      defineResource({ group, version: 'v1', kind: 'Thing', plural: 'things', namespaced: true }),
    )
    const remote = ['v1beta1', 'v1', 'v2'].map((version) => ({ group: 'zoo.test', version, resources: [] }))
    const groups = discoverGroups(local, [], remote, (group, version) => ({
      group: group === 'zoo.test' && version === 'v2' ? 20_000 : 1000,
      version: version === 'v1beta1' ? 500 : 100,
    }))
    assert.deepEqual(
      groups.map(({ group, versions }) => [group, ...versions.map(({ version }) => version)]),
      [
        ['zoo.test', 'v1beta1', 'v2', 'v1'],
        ['apps', 'v1'],
        ['bar.test', 'v1'],
      ],
    )
    assert.deepEqual(groups[0]?.versions.find(({ version }) => version === 'v1')?.resources, [])
  })
})
