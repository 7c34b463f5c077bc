import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { checkCluster } from './check-cluster.ts'
import type { ClusterFacts } from './observe-cluster.ts'

interface NodeFacts {
  readonly name?: string
  readonly labels?: Record<string, string>
  readonly ready?: 'True' | 'False'
  readonly message?: string
  readonly info?: Partial<NonNullable<NonNullable<Node['status']>['nodeInfo']>>
}

function node({ name = 'one', labels = {}, ready = 'True', message = '', info = {} }: NodeFacts = {}): Node {
  const nodeInfo = {
    operatingSystem: 'linux',
    architecture: 'amd64',
    containerRuntimeVersion: 'containerd://2.2.0',
    kubeletVersion: 'v1.33.1',
    ...info,
  }
  return { metadata: { name, labels }, status: { nodeInfo, conditions: [{ type: 'Ready', status: ready, message }] } } as unknown as Node
}

const empty: ClusterFacts = {
  version: 'v1.33.1',
  nodes: { value: [node()] },
  hasAdmissionPolicies: { value: true },
  hasImageVolumes: { value: false },
  missingRights: { value: [] },
  storageClasses: {
    value: [{ metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'p' }],
  },
  daemonSets: { value: [{ metadata: { name: 'kindnet' } }] },
  namespace: { value: undefined },
  definition: { value: undefined },
  operator: { value: undefined },
  kubevirt: { value: undefined },
}

const labelled = (name: string, labels: Record<string, string>): { value: object } => ({ value: { metadata: { name, labels } } })
const ours = labelled('virt-operator', { 'app.kubernetes.io/part-of': 'steadyvm' })
const definition = labelled('kubevirts.kubevirt.io', {})
const kubevirt = (status: 'True' | 'False'): object => ({
  value: { status: { observedKubeVirtVersion: 'v1', conditions: [{ type: 'Available', status, message: 'virt-api is not ready' }] } },
})

suite('checkCluster()', () => {
  test('finds nothing in an empty cluster that meets all requirements', () => {
    const findings = checkCluster(empty)
    assert.deepEqual(
      findings.filter(({ state }) => state !== 'ok'),
      [],
    )
    assert.equal(new Set(findings.map(({ check }) => check)).size, findings.length)
  })

  const rows: readonly (readonly [
    check: string,
    state: 'ok' | 'warn' | 'bad',
    detail: RegExp,
    facts: Partial<Record<keyof ClusterFacts, unknown>>,
  ])[] = [
    ['version', 'bad', /v1\.30\.4: Kubernetes 1\.31 or later/, { version: 'v1.30.4' }],
    ['version', 'ok', /v1\.40/, { version: 'v1.40.0-eks-1' }],
    ['policies', 'bad', /no ValidatingAdmissionPolicies/, { hasAdmissionPolicies: { value: false } }],
    [
      'rights',
      'bad',
      /may not create namespaces, deployments\.apps/,
      {
        missingRights: {
          value: [
            { group: '', resource: 'namespaces' },
            { group: 'apps', resource: 'deployments' },
          ],
        },
      },
    ],
    ['rights', 'warn', /unknown: no/, { missingRights: { refusal: 'no' } }],
    ['nodes', 'bad', /none of 1 nodes/, { nodes: { value: [node({ info: { architecture: 'arm64' } })] } }],
    ['nodes', 'bad', /none of 0 nodes/, { nodes: { value: [] } }],
    [
      'nodes',
      'warn',
      /1 ready; not ready: two; another platform: three/,
      { nodes: { value: [node(), node({ name: 'two', ready: 'False' }), node({ name: 'three', info: { operatingSystem: 'windows' } })] } },
    ],
    [
      'runtime',
      'warn',
      /docker:\/\/1 \(1\).*only containerd and CRI-O/,
      { nodes: { value: [node(), node({ info: { containerRuntimeVersion: 'docker://1' } })] } },
    ],
    [
      'kubelet',
      'warn',
      /--kubelet-root \/var\/lib\/k0s\/kubelet/,
      { nodes: { value: [node({ info: { kubeletVersion: 'v1.33.1+k0s' } })] } },
    ],
    [
      'kubelet',
      'warn',
      /--kubelet-root \/var\/snap\/microk8s/,
      { nodes: { value: [node({ labels: { 'microk8s.io/cluster': 'true' } })] } },
    ],
    ['accelerator', 'warn', /no KVM on 1 nodes/, { nodes: { value: [node({ labels: { 'steadyvm.io/accelerator': 'tcg' } })] } }],
    ['accelerator', 'ok', /KVM on 1 of 2 nodes/, { nodes: { value: [node({ labels: { 'steadyvm.io/accelerator': 'kvm' } }), node()] } }],
    ['image volumes', 'ok', /mounted/, { hasImageVolumes: { value: true } }],
    ['storage', 'warn', /no StorageClass/, { storageClasses: { value: [] } }],
    ['storage', 'warn', /must name one of slow/, { storageClasses: { value: [{ metadata: { name: 'slow' } }] } }],
    [
      'network',
      'bad',
      /no pod network: one/,
      { nodes: { value: [node({ ready: 'False', message: 'container runtime network not ready: cni plugin not initialized' })] } },
    ],
    ['network', 'ok', /plugin not recognized/, { daemonSets: { value: [{ metadata: { name: 'mine' } }] } }],
    [
      'namespace',
      'bad',
      /restricted.*kubectl label namespace kubevirt/,
      { namespace: labelled('kubevirt', { 'pod-security.kubernetes.io/enforce': 'restricted' }) },
    ],
    ['installation', 'bad', /another installation/, { definition }],
    ['installation', 'warn', /no KubeVirt object/, { definition, operator: ours }],
    ['installation', 'ok', /v1, available/, { definition, operator: ours, kubevirt: kubevirt('True') }],
    ['installation', 'bad', /virt-api is not ready/, { definition, operator: ours, kubevirt: kubevirt('False') }],
  ]
  for (const [check, state, detail, facts] of rows) {
    test(`${check} is ${state}: ${detail.source}`, () => {
      const found = checkCluster({ ...empty, ...facts } as ClusterFacts).find((finding) => finding.check === check)
      assert.equal(found?.state, state)
      assert.match(found.detail, detail)
    })
  }
})
