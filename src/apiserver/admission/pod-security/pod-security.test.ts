import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { AdmissionRequest } from '../chain.ts'
import { createPodSecurity } from './pod-security.ts'

const key = 'pod-security.kubernetes.io/'
const bad = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] }
const good = { containers: [{ name: 'c', image: 'i' }] }

interface Attempt {
  readonly of?: string
  readonly operation?: AdmissionRequest['operation']
  readonly object: object
  readonly old?: object
  /** Labels of the namespace, without prefix. */
  readonly labels?: Record<string, string>
  /** Pods that exist. */
  readonly pods?: readonly object[]
}

function attempt({ of = '/pods', operation = 'CREATE', object, old, labels = {}, pods = [] }: Attempt) {
  const [group = '', plural = '', subresource = ''] = of.split('/')
  const namespaced = plural !== 'namespaces'
  const definition = defineResource({ group, version: 'v1', kind: 'X', plural, namespaced })
  const entry = (stored: object) => ({ object: stored as KubeObject, revision: 1, json: Buffer.alloc(0) })
  const plugin = createPodSecurity({ get: () => entry({ metadata: { labels: prefixed(labels) } }), list: () => pods.map(entry) })
  const warnings: string[] = []
  const notes: Record<string, string> = {}
  const context = {
    user: { username: 'u', groups: [] },
    warn: (text: string) => void warnings.push(text),
    annotate: (name: string, value: string) => void (notes[name.slice(key.length)] = value),
    signal: new AbortController().signal,
    fieldManager: '',
  }
  const name = operation === 'CREATE' && subresource === '' ? '' : 'x'
  const target = { definition, namespace: namespaced ? 'dev' : '', name, subresource }
  let refusal: string | undefined
  let code: number | undefined
  try {
    void plugin.validate?.({ operation, target, object: object as KubeObject, old: old as KubeObject, dryRun: false, context })
  } catch (error) {
    assert.ok(error instanceof StatusError)
    refusal = error.message
    code = error.code
  }
  return { refusal, code, warnings, notes }
}

function prefixed(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [key + name, value]))
}

const pod = (spec: object, metadata: object = {}): object => ({ metadata: { name: 'x', ...metadata }, spec })
const why = 'privileged (container "c" must not set securityContext.privileged=true)'

suite('createPodSecurity() with pods', () => {
  test('enforces', () => {
    const { refusal, code, warnings } = attempt({ object: pod(bad), labels: { enforce: 'baseline' } })
    assert.equal(refusal, `pods "x" is forbidden: violates PodSecurity "baseline:latest": ${why}`)
    assert.deepEqual([code, warnings], [403, []])
  })
  test('allows everything in a namespace without labels', () => assert.equal(attempt({ object: pod(bad) }).refusal, undefined))
  test('warns and annotates without refusing', () => {
    const { refusal, warnings, notes } = attempt({
      object: pod(bad),
      labels: { warn: 'baseline', audit: 'baseline', 'audit-version': 'v1.25' },
    })
    assert.equal(refusal, undefined)
    assert.deepEqual(warnings, [`would violate PodSecurity "baseline:latest": ${why}`])
    assert.deepEqual(notes, {
      'enforce-policy': 'privileged:latest',
      'audit-violations': `would violate PodSecurity "baseline:v1.25": ${why}`,
    })
  })
  for (const [name, of, old, next, refused] of [
    ['checks a new image', '/pods', pod(bad), pod({ containers: [{ ...bad.containers[0], image: 'j' }] }), true],
    ['lets labels of a running pod change', '/pods', pod(bad), pod(bad, { labels: { a: 'b' } }), false],
    [
      'checks annotations about security',
      '/pods',
      pod(good),
      pod(good, { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } }),
      true,
    ],
    [
      'checks ephemeral containers',
      '/pods/ephemeralcontainers',
      pod(good),
      pod({ ...good, ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }] }),
      true,
    ],
    ['leaves status alone', '/pods/status', pod(good), pod({ containers: [{ ...bad.containers[0], image: 'j' }] }), false],
  ] as const) {
    test(`${name} on update`, () =>
      assert.equal(attempt({ operation: 'UPDATE', of, object: next, old, labels: { enforce: 'baseline' } }).refusal !== undefined, refused))
  }
})

suite('createPodSecurity() with workloads', () => {
  for (const of of [
    'apps/deployments',
    'apps/replicasets',
    'apps/daemonsets',
    'apps/statefulsets',
    'batch/jobs',
    '/replicationcontrollers',
  ]) {
    test(`warns about ${of} where pods would be refused`, () => {
      const { refusal, warnings } = attempt({
        of,
        object: { metadata: {}, spec: { template: { metadata: {}, spec: bad } } },
        labels: { enforce: 'baseline' },
      })
      assert.equal(refusal, undefined)
      assert.deepEqual(warnings, [`would violate PodSecurity "baseline:latest": ${why}`])
    })
  }
  test('looks into cron jobs and pod templates', () => {
    const cron = { spec: { jobTemplate: { spec: { template: { spec: bad } } } } }
    assert.equal(attempt({ of: 'batch/cronjobs', object: cron, labels: { warn: 'baseline' } }).warnings.length, 1)
    assert.equal(attempt({ of: '/podtemplates', object: { template: { spec: bad } }, labels: { warn: 'baseline' } }).warnings.length, 1)
  })
  test('leaves status and scale alone', () =>
    assert.deepEqual(
      attempt({
        of: 'apps/deployments/status',
        operation: 'UPDATE',
        object: { spec: { template: { spec: bad } } },
        labels: { warn: 'baseline' },
      }).warnings,
      [],
    ))
})

suite('createPodSecurity() with namespaces', () => {
  const namespace = (labels: Record<string, string>): object => ({ metadata: { name: 'dev', labels: prefixed(labels) } })
  const update = (before: Record<string, string>, after: Record<string, string>, pods: readonly object[] = []) =>
    attempt({ of: '/namespaces', operation: 'UPDATE', object: namespace(after), old: namespace(before), pods })
  const named = (name: string, spec: object): object => ({ metadata: { name }, spec })

  test('refuses labels that mean nothing', () => {
    const { refusal, code } = attempt({ of: '/namespaces', object: namespace({ enforce: 'strict' }) })
    assert.equal(code, 422)
    assert.match(
      refusal ?? '',
      /^Namespace "dev" is invalid: metadata.labels\[pod-security.kubernetes.io\/enforce\]: Invalid value: "strict"/,
    )
    assert.equal(update({}, { warn: 'x' }).code, 422)
  })
  test('lets an object with a bad label be changed otherwise', () =>
    assert.equal(update({ enforce: 'strict' }, { enforce: 'strict' }).code, undefined))
  test('warns about pods that exist, grouped by reasons', () => {
    const pods = [named('b', bad), named('a', bad), named('c', { ...good, hostNetwork: true }), named('d', good)]
    assert.deepEqual(update({}, { enforce: 'baseline' }, pods).warnings, [
      'existing pods in namespace "dev" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): privileged',
      'c: host namespaces',
    ])
  })
  test('reports when there are too many pods to check', () => {
    const pods = Array.from({ length: 3_001 }, (_, index) => named(`p${index}`, good))
    assert.deepEqual(update({}, { enforce: 'baseline' }, pods).warnings, [
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
    ])
  })
  for (const [name, before, after] of [
    ['the same level', { enforce: 'baseline' }, { enforce: 'baseline', x: 'y' }],
    ['a relaxed level', { enforce: 'restricted' }, { enforce: 'baseline' }],
    ['privileged', { enforce: 'baseline', 'enforce-version': 'v1.2' }, { enforce: 'privileged' }],
    ['levels that are not enforced', {}, { warn: 'restricted', audit: 'restricted' }],
  ] as const) {
    test(`checks no pods for ${name}`, () => assert.deepEqual(update(before, after, [named('a', bad)]).warnings, []))
  }
})
