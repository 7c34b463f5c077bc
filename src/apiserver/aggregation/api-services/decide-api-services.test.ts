import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { defaultPriorities } from '#apiserver/discovery/group-priorities.ts'
import { automanagedLabel, decideApiServices, type ServedGroupVersion } from './decide-api-services.ts'

const apps: ServedGroupVersion = { group: 'apps', version: 'v1', custom: false }
const vms: ServedGroupVersion = { group: 'kubevirt.io', version: 'v1', custom: true }

function service(name: string, label: string | undefined, spec: Partial<NonNullable<APIService['spec']>> = {}): APIService {
  const [version = '', ...group] = name.split('.')
  const labels = label === undefined ? {} : { labels: { [automanagedLabel]: label } }
  const base = { group: group.join('.'), version, groupPriorityMinimum: 1000, versionPriority: 100 }
  return { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name, ...labels }, spec: { ...base, ...spec } }
}

function decide(served: readonly ServedGroupVersion[], found: readonly APIService[], starting = false): Record<string, string[]> {
  const changes = decideApiServices(served, found, defaultPriorities, starting)
  return Object.fromEntries(
    Object.entries(changes).map(([verb, list]) => [verb, (list as APIService[]).map(({ metadata }) => metadata.name ?? '')]),
  )
}

suite('decideApiServices()', () => {
  const theirs = { service: { namespace: 'dev', name: 'extension', port: 443 } }
  const cases = [
    ['makes all at the start', [apps, vms], [], true, { create: ['v1.apps', 'v1.kubevirt.io'], update: [], remove: [] }],
    ['makes those of definitions later too', [apps, vms], [], false, { create: ['v1.kubevirt.io'], update: [], remove: [] }],
    ['does nothing for what is right', [vms], [service('v1.kubevirt.io', 'true')], false, { create: [], update: [], remove: [] }],
    [
      'reverts changes of managed APIServices',
      [vms],
      [service('v1.kubevirt.io', 'true', theirs)],
      false,
      { create: [], update: ['v1.kubevirt.io'], remove: [] },
    ],
    ['leaves those of others alone', [vms], [service('v1.kubevirt.io', undefined, theirs)], true, { create: [], update: [], remove: [] }],
    [
      'removes one with its version',
      [],
      [service('v1.kubevirt.io', 'true')],
      false,
      { create: [], update: [], remove: ['v1.kubevirt.io'] },
    ],
    ['removes none of others', [], [service('v1.kubevirt.io', undefined)], true, { create: [], update: [], remove: [] }],
    [
      'lets people change built-in ones until the next start',
      [apps],
      [service('v1.apps', 'onstart')],
      false,
      { create: [], update: [], remove: [] },
    ],
    [
      'puts built-in ones right at the start',
      [apps],
      [service('v1.apps', 'onstart')],
      true,
      { create: [], update: ['v1.apps'], remove: [] },
    ],
    [
      'removes built-in ones of earlier releases',
      [],
      [service('v1beta1.apps', 'onstart')],
      true,
      { create: [], update: [], remove: ['v1beta1.apps'] },
    ],
  ] as const
  for (const [what, served, found, starting, expected] of cases)
    test(what, () => assert.deepEqual(decide(served, found, starting), expected))

  test('names the core group and gives it its priority', () => {
    const { create } = decideApiServices([{ group: '', version: 'v1', custom: false }], [], defaultPriorities, true)
    assert.deepEqual(create, [
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.', labels: { [automanagedLabel]: 'onstart' } },
        spec: { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
      },
    ])
  })
})
