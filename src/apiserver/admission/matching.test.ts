import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { isExempt, isSelected, matchedVersion, matchesRule, type MatchingPorts } from './matching.ts'
import { type RegisteredWebhook, registeredWebhooks } from './webhooks/webhook-list.ts'

const pods = defineResource({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true })
const namespaces = defineResource({ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false })
const vmV1 = defineResource({ group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine', plural: 'virtualmachines', namespaced: true })
const vmOld = { ...vmV1, version: 'v1alpha3' }
const ports: MatchingPorts = {
  versionsOf: (definition) => (definition.plural === 'virtualmachines' ? [vmV1, vmOld] : [definition]),
  namespaceLabels: (name) => (name === 'dev' ? { team: 'a' } : {}),
}

const rules = [
  ['names the resource', { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }, '', true],
  ['is for another operation', { operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }, '', false],
  ['is for another group', { operations: ['*'], apiGroups: ['apps'], apiVersions: ['*'], resources: ['*'] }, '', false],
  ['names everything', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }, '', true],
  [
    'names all resources, which are no subresources',
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] },
    'status',
    false,
  ],
  ['names all subresources of pods', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/*'] }, 'eviction', true],
  ['names one subresource', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/eviction'] }, 'eviction', true],
  ['names another subresource', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/status'] }, 'eviction', false],
  [
    'names one subresource of everything',
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/eviction'] },
    'eviction',
    true,
  ],
  ['is for cluster-wide kinds', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' }, '', false],
] as const

suite('matchesRule() of a rule that', () => {
  for (const [name, rule, subresource, expected] of rules) {
    const lists = {
      operations: [...rule.operations],
      apiGroups: [...rule.apiGroups],
      apiVersions: [...rule.apiVersions],
      resources: [...rule.resources],
    }
    test(name, () => assert.equal(matchesRule({ ...rule, ...lists }, 'CREATE', pods, subresource), expected))
  }
})

function webhook(changes: object): RegisteredWebhook {
  const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['v1'], resources: ['*'] }
  const base = { name: 'w', clientConfig: {}, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [rule] }
  const configuration = { metadata: { name: 'c' }, webhooks: [{ ...base, ...changes }] }
  const [registered] = registeredWebhooks([configuration])
  assert.ok(registered !== undefined)
  return registered
}
function request(definition: typeof pods, labels: Record<string, string> = {}, namespace = 'dev'): AdmissionRequest {
  const target = { definition, namespace: definition.namespaced ? namespace : '', name: 'x', subresource: '' }
  const context = { user: { username: 'u', groups: [] }, warn: () => {}, signal: new AbortController().signal, fieldManager: 'm' }
  return { operation: 'CREATE', target, object: { metadata: { name: 'x', labels } }, old: undefined, dryRun: false, context }
}

suite('matchedVersion()', () => {
  test('returns the version of the request when a rule names it', () =>
    assert.equal(matchedVersion(webhook({}), request(vmV1), ports), vmV1))
  test('returns an equivalent version', () => assert.equal(matchedVersion(webhook({}), request(vmOld), ports), vmV1))
  test('returns none for matchPolicy Exact', () =>
    assert.equal(matchedVersion(webhook({ matchPolicy: 'Exact' }), request(vmOld), ports), undefined))
})

suite('isSelected()', () => {
  const ofTeam = { namespaceSelector: { matchLabels: { team: 'a' } } }
  const labelled = { objectSelector: { matchLabels: { a: 'b' } } }
  test('checks the labels of the namespace', () => {
    assert.equal(isSelected(webhook(ofTeam), request(pods), ports), true)
    assert.equal(isSelected(webhook(ofTeam), request(pods, {}, 'prod'), ports), false)
  })
  test('checks the labels of a Namespace itself', () => {
    assert.equal(isSelected(webhook(ofTeam), request(namespaces, { team: 'a' }), ports), true)
    assert.equal(isSelected(webhook(ofTeam), request(namespaces, { team: 'b' }), ports), false)
  })
  test('checks the labels of the object, new or old', () => {
    assert.equal(isSelected(webhook(labelled), request(pods, { a: 'b' }), ports), true)
    assert.equal(isSelected(webhook(labelled), request(pods), ports), false)
    assert.equal(isSelected(webhook(labelled), { ...request(pods), old: { metadata: { labels: { a: 'b' } } } }, ports), true)
  })
})

test('isExempt() excludes the configurations of webhooks and policies', () => {
  assert.equal(isExempt({ ...pods, group: 'admissionregistration.k8s.io' }), true)
  assert.equal(isExempt(pods), false)
})

test('registeredWebhooks() are ordered by configuration, then as listed', () => {
  const named = (name: string): object => ({ name, clientConfig: {}, sideEffects: 'None', admissionReviewVersions: ['v1'] })
  const list = registeredWebhooks([
    { metadata: { name: 'b' }, webhooks: [named('b1')] } as object,
    { metadata: { name: 'a' }, webhooks: [named('a2'), named('a1')] } as object,
  ])
  assert.deepEqual(
    list.map(({ webhook: { name } }) => name),
    ['a2', 'a1', 'b1'],
  )
})
