import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import { rangeSize } from '#runtime/isolation/uid-ranges.ts'
import { identityKind, machineRights, userOf, volumeGroupOf } from './pod-identity.ts'

const first = 589_824
const namespaced = { kind: 'namespace', first } as const

function pod(spec: Partial<PodSpec> = {}, labels: Readonly<Record<string, string>> = {}, namespace = 'dev'): Pod {
  return { metadata: { name: 'p', namespace, labels }, spec: { containers: [{ name: 'main' }], ...spec } }
}

suite('identityKind()', () => {
  const kind = (of: Pod, isStatic = false, labels: Readonly<Record<string, string>> = {}): string =>
    identityKind(of, isStatic, ['kube-system'], () => labels)
  const cases: readonly (readonly [string, string, string])[] = [
    ['runs static pods as the system', kind(pod(), true), 'system'],
    ['runs pods of system namespaces as the system', kind(pod({}, {}, 'kube-system')), 'system'],
    ['knows launcher pods by their label', kind(pod({}, { 'kubevirt.io': 'virt-launcher' })), 'launcher'],
    ['runs pods of a namespace without a label as its users', kind(pod()), 'namespace'],
    ['does not take "baseline" for "privileged"', kind(pod(), false, { 'pod-security.kubernetes.io/enforce': 'baseline' }), 'namespace'],
    ['follows an explicit "privileged"', kind(pod(), false, { 'pod-security.kubernetes.io/enforce': 'privileged' }), 'system'],
  ]
  for (const [name, found, expected] of cases) test(name, () => assert.equal(found, expected))
})

suite('machineRights()', () => {
  const cases: readonly (readonly [string, Partial<PodSpec>, number])[] = [
    ['finds nothing in a plain pod', {}, 0],
    ['refuses privileged containers', { containers: [{ name: 'main', securityContext: { privileged: true } }] }, 1],
    ['refuses privileged init containers', { initContainers: [{ name: 'init', securityContext: { privileged: true } }] }, 1],
    ['refuses user 0 of a container', { containers: [{ name: 'main', securityContext: { runAsUser: 0 } }] }, 1],
    ['refuses user 0 of the pod', { securityContext: { runAsUser: 0 } }, 1],
    [
      'lets a container override user 0 of the pod',
      { securityContext: { runAsUser: 0 }, containers: [{ name: 'main', securityContext: { runAsUser: 9 } }] },
      0,
    ],
    ['refuses hostPath volumes', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }, 1],
    ['refuses hostPID and hostIPC', { hostPID: true, hostIPC: true }, 2],
    ['allows hostNetwork: all pods of the machine share its network', { hostNetwork: true }, 0],
  ]
  for (const [name, spec, count] of cases) test(name, () => assert.equal(machineRights(pod(spec)).length, count))
})

suite('userOf()', () => {
  const user = (spec: Partial<PodSpec>, container: Container = { name: 'main' }): unknown => userOf(namespaced, pod(spec), container)
  test("runs system and launcher pods as the kubelet's user", () => {
    assert.equal(userOf({ kind: 'system' }, pod(), undefined), undefined)
    assert.equal(userOf({ kind: 'launcher' }, pod(), undefined), undefined)
  })
  test('defaults to the first id of the namespace', () => assert.deepEqual(user({}), { uid: first, gid: first, groups: [first] }))
  test('maps ids of the pod relative to the first one of its namespace', () =>
    assert.deepEqual(user({ securityContext: { runAsUser: 1000, runAsGroup: 2000, fsGroup: 3000, supplementalGroups: [4000] } }), {
      uid: first + 1000,
      gid: first + 2000,
      groups: [first, first + 4000, first + 3000],
    }))
  test("prefers the container's securityContext to the pod's", () =>
    assert.deepEqual(user({ securityContext: { runAsUser: 1000 } }, { name: 'main', securityContext: { runAsUser: 7 } }), {
      uid: first + 7,
      gid: first,
      groups: [first],
    }))
  test('keeps an id that is in the range of the namespace', () =>
    assert.equal((user({ securityContext: { runAsUser: first + 5 } }) as { uid: number }).uid, first + 5))
  test('never leaves the range', () => {
    for (const id of [0, 1, rangeSize - 1, rangeSize, first - 1, first + rangeSize, 2 ** 31]) {
      const { uid } = userOf(namespaced, pod({ securityContext: { runAsUser: id } }), undefined) ?? { uid: 0 }
      assert.ok(uid >= first && uid < first + rangeSize, `${id} -> ${uid}`)
    }
  })
  test('uses fsGroup as the group of volumes', () => {
    assert.equal(volumeGroupOf(namespaced, pod()), first)
    assert.equal(volumeGroupOf(namespaced, pod({ securityContext: { fsGroup: 5 } })), first + 5)
    assert.equal(volumeGroupOf({ kind: 'system' }, pod()), undefined)
  })
})
