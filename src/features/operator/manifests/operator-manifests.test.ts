import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentRules } from '#api/access/component-rules.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { installationManifests } from './operator-manifests.ts'

const manifests = installationManifests({
  version: 'v1.2.3',
  registry: 'mine.test',
  ownRegistry: 'o.test',
  namespace: 'kubevirt',
  definitions: [],
})
const named = (kind: string): readonly string[] => manifests.flatMap((each) => (each.kind === kind ? [each.metadata?.name ?? ''] : []))

suite('installationManifests()', () => {
  test('has a service account for each component, with exactly the rights that it needs', () => {
    assert.deepEqual(named('ServiceAccount'), Object.keys(componentRules))
    const rules = manifests.flatMap((each) => (each as { rules?: readonly PolicyRule[] }).rules ?? [])
    assert.ok(rules.length > 40)
    for (const rule of rules) assert.ok(!Object.values(rule).flat().includes('*'), JSON.stringify(rule))
  })

  test('restricts secrets to their components, and roles to the operator, which may grant its own rights', () => {
    for (const [component, { cluster }] of Object.entries(componentRules)) {
      for (const { resources = [], apiGroups = [], verbs } of cluster) {
        // virt-controller gives workers their certificates, and virt-operator gives it the right
        // to.
        if (resources.includes('secrets'))
          assert.deepEqual([component === 'virt-api' || component === 'virt-handler', verbs], [false, ['create']])
        assert.ok(component === 'virt-operator' || !apiGroups.includes('rbac.authorization.k8s.io'))
        assert.ok(!verbs.includes('escalate') && !verbs.includes('bind'))
      }
    }
  })

  test('gives the operator each right that it grants: RBAC refuses the grant of any other', () => {
    const granting = (rules: readonly PolicyRule[], group: string, resource: string, verb: string, name: string | undefined): boolean =>
      rules.some(
        ({ apiGroups = [], resources = [], verbs, resourceNames = [] }) =>
          apiGroups.includes(group) &&
          resources.includes(resource) &&
          verbs.includes(verb) &&
          (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
      )
    const { 'virt-operator': operator, ...others } = componentRules
    for (const { cluster, namespace } of Object.values(others))
      for (const [rules, own] of [
        [cluster, operator.cluster],
        [namespace, [...operator.cluster, ...operator.namespace]],
      ] as const)
        for (const { apiGroups = [], resources = [], verbs, resourceNames = [undefined] } of rules)
          for (const group of apiGroups)
            for (const resource of resources)
              for (const verb of verbs)
                for (const name of resourceNames)
                  assert.ok(granting(own, group, resource, verb, name), `${verb} ${resource}.${group} ${name ?? ''}`)
  })

  test('grants rights in one namespace with roles that the operator manages, except for its own role', () => {
    const roles = manifests.filter(({ kind }) => kind === 'Role')
    const kept = roles.map(({ metadata }) => [metadata?.name, metadata?.labels?.['app.kubernetes.io/managed-by']])
    assert.deepEqual(kept, [
      ['system:steadyvm:virt-operator', undefined],
      ['system:steadyvm:virt-api', 'virt-operator'],
      ['system:steadyvm:virt-controller', 'virt-operator'],
      ['system:steadyvm:virt-handler', 'virt-operator'],
    ])
    const [operator] = roles as unknown as { rules: readonly PolicyRule[] }[]
    assert.ok(operator?.rules.some(({ resources, verbs }) => resources?.includes('roles') && verbs.includes('patch')))
  })

  test('binds only roles that it contains, or that every cluster has', () => {
    const roles = new Set([...named('Role'), ...named('ClusterRole'), 'extension-apiserver-authentication-reader'])
    const bindings = manifests.filter(({ kind }) => kind?.endsWith('RoleBinding')) as unknown as {
      roleRef: { name: string }
      subjects: { name: string }[]
    }[]
    for (const { roleRef, subjects } of bindings) {
      assert.ok(roles.has(roleRef.name), roleRef.name)
      for (const { name } of subjects) assert.ok(named('ServiceAccount').includes(name))
    }
  })

  test('binds every policy that it contains', () => {
    const bindings = manifests.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding') as unknown as {
      spec: { policyName: string }
    }[]
    assert.deepEqual(
      bindings.map(({ spec }) => spec.policyName),
      named('ValidatingAdmissionPolicy'),
    )
    assert.equal(bindings.length, 2)
  })

  test('passes the folder of the kubelets to the operator', () => {
    const argsOf = (items: typeof manifests): readonly string[] =>
      items.flatMap((item) => (item.kind === 'Deployment' ? ((item as Deployment).spec.template.spec.containers[0]?.args ?? []) : []))
    const kubeletRoot = '/var/lib/k0s/kubelet'
    const other = installationManifests({
      version: 'v1',
      registry: 'r',
      ownRegistry: 'r',
      namespace: 'kubevirt',
      definitions: [],
      kubeletRoot,
    })
    assert.ok(argsOf(other).includes('--kubelet-root=/var/lib/k0s/kubelet'))
    assert.ok(argsOf(manifests).every((arg) => !arg.startsWith('--kubelet-root')))
  })

  test('passes the registry to the operator', () => {
    const [kubevirt] = manifests.filter(({ kind }) => kind === 'KubeVirt') as unknown as { spec: object }[]
    assert.deepEqual(kubevirt?.spec, { imageRegistry: 'mine.test' })
  })
})
