import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt, KubeVirtSpec, NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import { validateInstallation, warnOfInstallation } from './admission.ts'
import { customizerAnnotation } from './manifests/customize.ts'
import { infraSettingsOf } from './manifests/infra-settings.ts'
import { objectsOf, installStrategyOf, type InstallStrategy, type Target } from './manifests/install-strategy.ts'

const target: Target = {
  version: 'v1.2.3',
  registry: 'registry.test',
  namespace: 'kubevirt',
  platform: { args: { 'virt-api': ['--kubeconfig=/a'] }, environment: {}, annotations: {}, controlPlaneNode: 'n1' },
}
const of = (spec: KubeVirtSpec): InstallStrategy => installStrategyOf(target, infraSettingsOf(spec))
const patching = (resourceType: string, resourceName: string, type: string, patch: unknown): KubeVirtSpec => ({
  customizeComponents: {
    patches: [{ resourceType, resourceName, type, patch: typeof patch === 'string' ? patch : JSON.stringify(patch) }],
  },
})
const marksOf = (strategy: InstallStrategy): (string | undefined)[] =>
  objectsOf(strategy).map(({ metadata }) => metadata?.annotations?.[customizerAnnotation])
const [service, agent, controller, api] = [0, 1, 2, 3]
const plain = of({})
const podMarks = ({ agent: handler, controller: manager, api: server }: InstallStrategy): unknown[] =>
  [handler, manager, server].map(({ spec }) => spec.template.metadata?.annotations?.[customizerAnnotation])

suite('settings of components', () => {
  const nodePlacement = { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'infra', operator: 'Exists' as const }] }

  test('place API servers and controllers, or node agents', () => {
    const { agent: handler, controller: manager, api: server } = of({ infra: { nodePlacement } })
    for (const { spec } of [manager, server]) {
      assert.deepEqual(spec.template.spec.nodeSelector, { zone: 'a' })
      assert.ok(spec.template.spec.tolerations?.some(({ key }) => key === 'infra'))
      assert.ok(spec.template.spec.affinity?.nodeAffinity !== undefined, 'and keep what the place says')
    }
    assert.deepEqual(handler, plain.agent)
    assert.deepEqual(of({ workloads: { nodePlacement } }).agent.spec.template.spec.nodeSelector, { zone: 'a' })
  })

  test('set the number of replicas without a change of the pods', () => {
    const more = of({ infra: { replicas: 3 } })
    assert.deepEqual([more.controller.spec.replicas, more.api.spec.replicas], [3, 3])
    assert.deepEqual(podMarks(more), podMarks(plain))
    assert.notEqual(marksOf(more)[api], marksOf(plain)[api])
    assert.equal(marksOf(more)[agent], marksOf(plain)[agent])
  })

  test('replace flags of the same name, and add others', () => {
    const flags = { api: { kubeconfig: '/b', v: '5' } }
    const [container] = of({ customizeComponents: { flags } }).api.spec.template.spec.containers
    assert.deepEqual(
      container?.args?.filter((argument) => argument.startsWith('--kubeconfig=')),
      ['--kubeconfig=/b'],
    )
    assert.ok(container?.args?.includes('--v=5') && container.args.includes('--port=8443'))
  })

  test('set the product labels and the image pull policy', () => {
    const spec = {
      productName: 'cloud',
      productVersion: '4.2',
      productComponent: 'compute',
      imagePullPolicy: 'Always',
      imagePullSecrets: [{ name: 's' }],
    }
    const strategy = of(spec)
    for (const object of objectsOf(strategy)) {
      const { labels } = object.metadata ?? {}
      assert.deepEqual(
        [labels?.['app.kubernetes.io/part-of'], labels?.['app.kubernetes.io/version'], labels?.['app.kubernetes.io/component']],
        ['cloud', '4.2', 'compute'],
      )
    }
    const { spec: pod, metadata } = strategy.agent.spec.template
    assert.deepEqual(
      [pod.containers[0]?.imagePullPolicy, pod.imagePullSecrets, metadata?.labels?.['app.kubernetes.io/part-of']],
      ['Always', [{ name: 's' }], 'cloud'],
    )
    assert.equal(strategy.agent.spec.selector.matchLabels?.['app.kubernetes.io/part-of'], undefined)
  })
})

suite('patches of components', () => {
  const toleration = { key: 'x', operator: 'Exists' }

  test('of each type change only their target', () => {
    const rows: readonly KubeVirtSpec[] = [
      patching('Deployment', 'virt-controller', 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'virt-controller', resources: { limits: { cpu: '1' } } }] } } },
      }),
      patching('deployments', 'virt-controller', 'merge', { spec: { template: { spec: { tolerations: [toleration] } } } }),
      patching('deployment', 'virt-controller', 'json', [{ op: 'add', path: '/spec/template/spec/tolerations/-', value: toleration }]),
    ]
    for (const spec of rows) {
      const strategy = of(spec)
      assert.deepEqual(strategy.problems, [])
      assert.deepEqual([strategy.service, strategy.agent, strategy.api], [plain.service, plain.agent, plain.api])
      assert.notDeepEqual(strategy.controller.spec.template.spec, plain.controller.spec.template.spec)
      assert.equal(strategy.controller.spec.template.spec.containers[0]?.image, 'registry.test/virt-controller:v1.2.3')
      assert.notEqual(podMarks(strategy)[1], podMarks(plain)[1], 'and the old pods are told from the new ones')
    }
  })

  test('apply to all objects of a kind', () => {
    const strategy = of(patching('Deployment', '*', 'merge', { metadata: { annotations: { a: 'b' } } }))
    const changed = marksOf(strategy).map((mark, index) => mark !== marksOf(plain)[index])
    assert.deepEqual([changed[service], changed[agent], changed[controller], changed[api]], [false, false, true, true])
  })

  const unusable: readonly (readonly [string, KubeVirtSpec])[] = [
    ['has an unknown type', patching('Deployment', '*', 'kustomize', {})],
    ['is no JSON', patching('Deployment', '*', 'merge', '{')],
    ['is no object', patching('Deployment', '*', 'strategic', [])],
    ['is not a list of operations', patching('Deployment', '*', 'json', {})],
    ['has a missing path', patching('Deployment', '*', 'json', [{ op: 'remove', path: '/spec/nothing' }])],
    ['has an item without its key', patching('DaemonSet', '*', 'strategic', { spec: { template: { spec: { containers: [{}] } } } })],
    ['changes a name', patching('Deployment', 'virt-api', 'merge', { metadata: { name: 'mine' } })],
    ['changes the selector', patching('DaemonSet', '*', 'merge', { spec: { template: { metadata: { labels: { 'kubevirt.io': 'x' } } } } })],
  ]
  for (const [why, spec] of unusable) {
    test(`that are invalid are skipped, reported and refused: one that ${why}`, () => {
      const strategy = of(spec)
      assert.ok(strategy.problems.length > 0)
      assert.deepEqual({ ...strategy, problems: [] }, plain)
      assert.deepEqual(refused(spec), ['spec.customizeComponents.patches[0]'])
    })
  }
})

const kubevirt = (spec: KubeVirtSpec): KubeVirt => ({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec })
const refused = (spec: KubeVirtSpec, old?: KubeVirtSpec): (string | undefined)[] =>
  validateInstallation(kubevirt(spec), old === undefined ? undefined : kubevirt(old)).map(({ field }) => field)

const placed = (nodePlacement: NodePlacement): KubeVirtSpec => ({ workloads: { nodePlacement } })
const nodeTerm = (matchExpressions: object[]): KubeVirtSpec =>
  placed({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } } },
  } as NodePlacement)
const podTerm = (term: object, weight?: number): KubeVirtSpec =>
  placed({
    affinity: {
      podAntiAffinity:
        weight === undefined
          ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
          : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] },
    },
  } as NodePlacement)
const nodeTerms = 'spec.workloads.nodePlacement.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
const podTerms = 'spec.workloads.nodePlacement.affinity.podAntiAffinity'
const requiredPods = `${podTerms}.requiredDuringSchedulingIgnoredDuringExecution[0]`
const preferredPods = `${podTerms}.preferredDuringSchedulingIgnoredDuringExecution[0]`
const host = { topologyKey: 'kubernetes.io/hostname' }
const replicasOf = (resourceName: string, replicas: number): KubeVirtSpec =>
  patching('Deployment', resourceName, 'merge', { spec: { replicas } })

suite('validateInstallation()', () => {
  const rows: readonly (readonly [KubeVirtSpec, readonly string[]])[] = [
    [{}, []],
    [{ infra: { replicas: 2 }, uninstallStrategy: 'BlockUninstallIfWorkloadsExist', imagePullPolicy: 'Never', productName: 'a' }, []],
    [{ infra: { replicas: 0 } }, ['spec.infra.replicas']],
    [{ workloads: { replicas: 2 } }, ['spec.workloads.replicas']],
    [replicasOf('virt-api', 0), ['spec.customizeComponents.patches[0]']],
    [replicasOf('*', -1), ['spec.customizeComponents.patches[0]']],
    [{ infra: { replicas: 0 }, ...replicasOf('virt-api', 3) }, ['spec.infra.replicas']],
    [replicasOf('virt-controller', 0), []],
    [placed({ nodeSelector: { 'a.b/c': 'd' }, tolerations: [{ operator: 'Exists' }, { key: 'a', value: 'b' }] }), []],
    [placed({ nodeSelector: { 'no key': 'd' } }), ['spec.workloads.nodePlacement.nodeSelector']],
    [placed({ nodeSelector: { key: 'no value' } }), ['spec.workloads.nodePlacement.nodeSelector']],
    [placed({ tolerations: [{ key: 'a', operator: 'Bogus' }] }), ['spec.workloads.nodePlacement.tolerations[0].operator']],
    [placed({ tolerations: [{ key: 'a', effect: 'Never' }] }), ['spec.workloads.nodePlacement.tolerations[0].effect']],
    [placed({ tolerations: [{ key: 'a' }, { key: 'b b' }] }), ['spec.workloads.nodePlacement.tolerations[1].key']],
    [placed({ tolerations: [{ value: 'a' }] }), ['spec.workloads.nodePlacement.tolerations[0].operator']],
    [placed({ tolerations: [{ key: 'a', tolerationSeconds: 3 }] }), ['spec.workloads.nodePlacement.tolerations[0].effect']],
    [placed({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }), ['spec.workloads.nodePlacement.tolerations[0].operator']],
    [
      nodeTerm([
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'Exists' },
        { key: 'd', operator: 'Gt', values: ['1'] },
      ]),
      [],
    ],
    [nodeTerm([{ key: 'a', operator: 'Bogus' }]), [`${nodeTerms}[0].matchExpressions[0].operator`]],
    [nodeTerm([{ key: 'a', operator: 'Exists', values: ['b'] }]), [`${nodeTerms}[0].matchExpressions[0].values`]],
    [nodeTerm([{ key: 'a', operator: 'NotIn' }]), [`${nodeTerms}[0].matchExpressions[0].values`]],
    [nodeTerm([{ key: 'a', operator: 'Lt', values: ['1', '2'] }]), [`${nodeTerms}[0].matchExpressions[0].values`]],
    [nodeTerm([{ key: 'no key', operator: 'Exists' }]), [`${nodeTerms}[0].matchExpressions[0].key`]],
    [placed({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }), [nodeTerms]],
    [podTerm({ ...host, labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } }), []],
    [
      podTerm({ ...host, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } }),
      [`${requiredPods}.labelSelector.matchExpressions[0].operator`],
    ],
    [podTerm({ topologyKey: '' }), Array.from({ length: 3 }, () => `${requiredPods}.topologyKey`)],
    [podTerm(host, 101), [`${preferredPods}.weight`]],
    [
      podTerm({ ...host, namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }, 1),
      [`${preferredPods}.podAffinityTerm.namespaceSelector.matchExpressions[0].values`],
    ],
    [{ imagePullPolicy: 'Sometimes' }, ['spec.imagePullPolicy']],
    [{ uninstallStrategy: 'Perhaps' }, ['spec.uninstallStrategy']],
    [{ productName: 'two words' }, ['spec.productName']],
    [{ productVersion: 'v'.repeat(64) }, ['spec.productVersion']],
    [
      { certificateRotateStrategy: { selfSigned: { ca: { duration: '1s' } } } },
      ['spec.certificateRotateStrategy.selfSigned.ca.duration', 'spec.certificateRotateStrategy.selfSigned.server.duration'],
    ],
  ]
  for (const [spec, fields] of rows)
    test(`${fields.length === 0 ? 'accepts' : 'refuses'} ${JSON.stringify(spec)}`, () => assert.deepEqual(refused(spec), fields))

  test('accepts an unchanged invalid field', () => {
    assert.deepEqual(refused({ infra: { replicas: 0 }, imageTag: 'v2' }, { infra: { replicas: 0 } }), [])
  })

  test('warns about patches without a target', () => {
    assert.equal(warnOfInstallation(kubevirt(patching('Deployment', 'virt-exportproxy', 'merge', {}))).length, 1)
    assert.equal(warnOfInstallation(kubevirt(patching('Deployment', 'virt-api', 'merge', {}))).length, 0)
  })
})
