import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { goIntOrString, goLabelSelector, goStrings, goStruct, immutableSelector } from './go-values.ts'

suite('Go formatting', () => {
  test('distinguishes numbers and percentages', () => {
    assert.equal(goIntOrString(3), 'intstr.IntOrString{Type:0, IntVal:3, StrVal:""}')
    assert.equal(goIntOrString('150%'), 'intstr.IntOrString{Type:1, IntVal:0, StrVal:"150%"}')
  })

  test('prints nil for absent lists', () => {
    assert.equal(goStrings(undefined), '[]string(nil)')
    assert.equal(goStrings(['a', 'b'], 'core.ResourceQuotaScope'), '[]core.ResourceQuotaScope{"a", "b"}')
  })

  test('prints selectors with sorted labels, and expressions', () => {
    assert.equal(
      goLabelSelector({ matchLabels: { b: '2', a: '1' } }),
      'v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"2"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}',
    )
    assert.equal(
      goLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }),
      'v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"a", Operator:"Exists", Values:[]string(nil)}}}',
    )
  })

  test('immutableSelector() refuses a change', () => {
    assert.deepEqual(immutableSelector({ matchLabels: { a: 'b' } }, { matchLabels: { a: 'b' } }), [])
    const [fault] = immutableSelector({ matchLabels: { a: 'c' } }, { matchLabels: { a: 'b' } })
    assert.match(fault?.message ?? '', /^Invalid value: v1\.LabelSelector\{.*\}: field is immutable$/)
  })

  test('prints struct fields in order', () => {
    assert.equal(
      goStruct('rbac.RoleRef', { APIGroup: 'g', Kind: 'Role', Name: undefined }),
      'rbac.RoleRef{APIGroup:"g", Kind:"Role", Name:""}',
    )
  })
})
