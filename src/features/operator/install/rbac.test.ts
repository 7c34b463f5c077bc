import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ClusterRole, ClusterRoleBinding } from '#api/rbac/v1/role.ts'
import { rbacToApply } from './rbac.ts'

const labels = { 'app.kubernetes.io/managed-by': 'virt-operator' }

/** A role with a rule for each letter. */
function role(letters: string, isOurs = true): ClusterRole {
  const rules = Array.from(letters, (letter) => ({ apiGroups: [''], resources: [letter], verbs: ['get'] }))
  return { metadata: { name: 'component', ...(isOurs ? { labels } : {}) }, rules }
}

const lettersOf = (found: ClusterRole | undefined): string | undefined => found?.rules?.map(({ resources }) => resources?.[0]).join('')

suite('accessToApply()', () => {
  const rows: readonly (readonly [ClusterRole | undefined, string, string | undefined, string | undefined])[] = [
    [undefined, 'ab', 'ab', 'ab'],
    [role('ab'), 'ab', undefined, undefined],
    [role('ba'), 'ab', undefined, undefined],
    [role('a'), 'ab', 'ab', 'ab'],
    [role('abc'), 'ab', undefined, 'ab'],
    [role('ac'), 'ab', 'abc', 'ab'],
    [role('ab', false), 'ab', 'ab', 'ab'],
    [role(''), '', undefined, undefined],
  ]
  for (const [present, wanted, united, exact] of rows) {
    test(`${lettersOf(present) ?? 'nothing'} for ${wanted} becomes ${united ?? 'nothing else'}, and alone ${exact ?? 'nothing else'}`, () => {
      assert.equal(lettersOf(rbacToApply(present, role(wanted), false)), united)
      assert.equal(lettersOf(rbacToApply(present, role(wanted), true)), exact)
    })
  }

  test('merges the subjects of bindings, in any order of their fields', () => {
    const binding = (...subjects: NonNullable<ClusterRoleBinding['subjects']>): ClusterRoleBinding => ({
      metadata: { name: 'component', labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'component' },
      subjects,
    })
    const [one, same, other] = [
      { kind: 'User', name: 'a' },
      { name: 'a', kind: 'User' },
      { kind: 'User', name: 'b' },
    ]
    assert.equal(rbacToApply(binding(one), binding(same), true), undefined)
    assert.deepEqual(rbacToApply(binding(other), binding(one), false)?.subjects, [one, other])
  })
})
