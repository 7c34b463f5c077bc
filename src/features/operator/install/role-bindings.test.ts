import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '#api/rbac/v1/role.ts'
import { componentRoles } from '#api/access/component-roles.ts'
import type { RbacObject } from './rbac.ts'
import { withRoleBindings } from './role-bindings.ts'

const subjectsOf = (access: readonly RbacObject[], kind: string): readonly (readonly string[])[] =>
  access.flatMap((one) =>
    'roleRef' in one && one.kind === kind ? [(one.subjects ?? []).map((subject) => `${subject.kind} ${subject.name}`)] : [],
  )

suite('withRoleBindings()', () => {
  const name = 'system:steadyvm:virt-controller'
  const role = componentRoles('kubevirt').find(({ metadata }) => metadata.name === name) as Role
  // Bindings of releases before v0.2.0 name a user of one machine.
  const everywhere: RbacObject = {
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name }],
  }

  test('binds each role to the service account of its component, labelled as managed by the operator', () => {
    const bound = withRoleBindings([role, everywhere], 'kubevirt')
    for (const kind of ['RoleBinding', 'ClusterRoleBinding'])
      assert.deepEqual(subjectsOf(bound, kind), [['ServiceAccount virt-controller']])
    const binding = bound.find(({ kind }) => kind === 'RoleBinding')
    assert.deepEqual(binding?.metadata, role.metadata)
  })
})
