import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { authorizerValue, type CelAccessCheck, resourceCheckValue } from '#apimachinery/cel/authorizer.ts'
import { createBudget, matchConditionsCostLimit } from '#apimachinery/cel/budget.ts'
import { compileExpression } from '#apimachinery/cel/compile.ts'
import { createEnvironment } from '#apimachinery/cel/environment.ts'
import { CelBudgetError } from '#apimachinery/cel/errors.ts'
import { libraryType } from '#apimachinery/cel/types/signature.ts'

const environment = createEnvironment({
  authorizer: libraryType('Authorizer'),
  'authorizer.requestResource': libraryType('ResourceCheck'),
})

function ask(source: string, limit: number = matchConditionsCostLimit): { answer: unknown; asked: CelAccessCheck[] } {
  const asked: CelAccessCheck[] = []
  const authorize = (check: CelAccessCheck): { allowed: boolean; reason: string } => {
    asked.push(check)
    return { allowed: check.verb === 'create', reason: 'because' }
  }
  const bindings = {
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': resourceCheckValue(authorize, { group: 'apps', resource: 'deployments', name: 'd' }),
  }
  return { answer: compileExpression(source, environment).evaluate(bindings, createBudget(limit)), asked }
}

suite('authorizer', () => {
  const questions: readonly [string, CelAccessCheck][] = [
    [
      "authorizer.group('kubevirt.io').resource('virtualmachines').subresource('start').namespace('ns').name('vm').check('create').allowed()",
      { verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines', subresource: 'start', namespace: 'ns', name: 'vm' },
    ],
    ["authorizer.path('/healthz').check('create').allowed()", { verb: 'create', path: '/healthz' }],
    [
      "authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('create').allowed()",
      { verb: 'create', serviceAccount: { namespace: 'ns', name: 'sa' }, group: '', resource: 'pods' },
    ],
    [
      "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('x').check('create').allowed()",
      { verb: 'create', group: '', resource: 'pods', fieldSelector: 'spec.nodeName=a', labelSelector: 'x' },
    ],
    ["authorizer.requestResource.check('create').allowed()", { verb: 'create', group: 'apps', resource: 'deployments', name: 'd' }],
  ]
  for (const [source, check] of questions) {
    test(source, () => assert.deepEqual(ask(source), { answer: true, asked: [check] }))
  }

  test('returns the reason', () => {
    assert.equal(ask("authorizer.group('').resource('pods').check('get').reason()").answer, 'because')
  })

  test('allows two checks per expression, and refuses the third', () => {
    const question = "authorizer.path('/a').check('create').allowed()"
    assert.equal(ask(`${question} && ${question}`, 1_000_000).asked.length, 2)
    assert.throws(() => ask(`${question} && ${question} && ${question}`, 1_000_000), CelBudgetError)
  })
})
