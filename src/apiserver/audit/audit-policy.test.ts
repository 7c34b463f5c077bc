import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { AuditPolicyError, type AuditRule, compileAuditPolicy, readAuditPolicy } from './audit-policy.ts'
import { defaultAuditPolicy } from './default-policy.ts'

const alice = { username: 'alice', groups: ['dev', 'system:authenticated'] }

function levelOf(rules: readonly AuditRule[], request: string, user: typeof alice | undefined = alice): string {
  const [method = '', url = ''] = request.split(' ')
  return compileAuditPolicy({ rules })(user, parseRequestInfo(method, url, new URLSearchParams())).level
}

suite('compileAuditPolicy()', () => {
  const pods = '/api/v1/namespaces/n/pods'
  const one = (rule: Omit<AuditRule, 'level'>): readonly AuditRule[] => [{ level: 'Metadata', ...rule }]
  const cases: readonly (readonly [string, readonly AuditRule[], string, boolean])[] = [
    ['an empty rule matches resources', one({}), `GET ${pods}`, true],
    ['an empty rule matches other paths', one({}), 'GET /version', true],
    ['a user', one({ users: ['alice'] }), `GET ${pods}`, true],
    ['another user', one({ users: ['bob'] }), `GET ${pods}`, false],
    ['a group', one({ userGroups: ['ops', 'dev'] }), `GET ${pods}`, true],
    ['another group', one({ userGroups: ['ops'] }), `GET ${pods}`, false],
    ['a verb', one({ verbs: ['create'] }), `POST ${pods}`, true],
    ['another verb', one({ verbs: ['create'] }), `GET ${pods}`, false],
    ['a resource', one({ resources: [{ resources: ['pods'] }] }), `GET ${pods}/a`, true],
    ['a resource is not its subresources', one({ resources: [{ resources: ['pods'] }] }), `GET ${pods}/a/log`, false],
    ['a subresource', one({ resources: [{ resources: ['pods/log'] }] }), `GET ${pods}/a/log`, true],
    ['all subresources', one({ resources: [{ resources: ['pods/*'] }] }), `GET ${pods}/a/log`, true],
    ['all subresources are not the resource', one({ resources: [{ resources: ['pods/*'] }] }), `GET ${pods}/a`, false],
    ['a subresource of all', one({ resources: [{ resources: ['*/log'] }] }), `GET ${pods}/a/log`, true],
    ['all', one({ resources: [{ resources: ['*'] }] }), `GET ${pods}/a/log`, true],
    ['a whole group', one({ resources: [{ group: 'apps' }] }), 'GET /apis/apps/v1/deployments', true],
    ['another group of resources', one({ resources: [{ group: 'apps' }] }), `GET ${pods}`, false],
    ['a name', one({ resources: [{ resources: ['pods'], resourceNames: ['a'] }] }), `GET ${pods}/a`, true],
    ['another name', one({ resources: [{ resources: ['pods'], resourceNames: ['a'] }] }), `GET ${pods}/b`, false],
    ['a namespace', one({ namespaces: ['n'] }), `GET ${pods}`, true],
    ['another namespace', one({ namespaces: ['m'] }), `GET ${pods}`, false],
    ['the cluster scope', one({ namespaces: [''] }), 'GET /api/v1/nodes', true],
    ['a path', one({ nonResourceURLs: ['/healthz*'] }), 'GET /healthz/ping', true],
    ['another path', one({ nonResourceURLs: ['/healthz*'] }), 'GET /version', false],
    ['paths are not resources', one({ nonResourceURLs: ['*'] }), `GET ${pods}`, false],
    ['resources are not paths', one({ resources: [{ resources: ['*'] }] }), 'GET /version', false],
  ]
  for (const [name, rules, request, matches] of cases) {
    test(`${name}: ${matches ? 'recorded' : 'not recorded'}`, () => assert.equal(levelOf(rules, request), matches ? 'Metadata' : 'None'))
  }
  test('uses the first matching rule', () => {
    assert.equal(levelOf([{ level: 'Request', verbs: ['list'] }, { level: 'None' }], `GET ${pods}`), 'Request')
    assert.equal(levelOf([{ level: 'None' }, { level: 'Request' }], `GET ${pods}`), 'None')
  })
  test('applies rules without users to unauthenticated requests', () => {
    assert.equal(compileAuditPolicy({ rules: one({}) })(undefined, parseRequestInfo('GET', pods, new URLSearchParams())).level, 'Metadata')
    assert.equal(
      compileAuditPolicy({ rules: one({ userGroups: ['dev'] }) })(undefined, parseRequestInfo('GET', pods, new URLSearchParams())).level,
      'None',
    )
  })
  test('merges the omitted stages of policy and rule', () => {
    const evaluate = compileAuditPolicy({
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata', omitStages: ['ResponseStarted'] }],
    })
    assert.deepEqual(
      [...evaluate(alice, parseRequestInfo('GET', pods, new URLSearchParams())).omitStages],
      ['RequestReceived', 'ResponseStarted'],
    )
  })
})

test('the default policy records writes without bodies, and no reads', () => {
  const level = (request: string): string => levelOf(defaultAuditPolicy.rules, request)
  assert.equal(level('POST /api/v1/namespaces/n/pods'), 'Metadata')
  assert.equal(level('DELETE /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a'), 'Metadata')
  assert.equal(level('GET /api/v1/namespaces/n/secrets'), 'None')
  assert.equal(level('PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/a'), 'None')
  assert.ok(defaultAuditPolicy.rules.every((rule) => rule.level === 'None' || rule.level === 'Metadata'))
  assert.equal(readAuditPolicy(defaultAuditPolicy), defaultAuditPolicy)
})

suite('readAuditPolicy()', () => {
  const head = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['nothing', null, /must be a Policy of audit.k8s.io\/v1/],
    ['another kind', { ...head, kind: 'Pod' }, /must be a Policy/],
    ['no rules', { ...head, rules: [] }, /at least one rule/],
    ['an unknown level', { ...head, rules: [{ level: 'All' }] }, /rules\[0\].level: must be one of/],
    ['a rule that is none', { ...head, rules: [null] }, /rules\[0\].level/],
    ['an unknown stage', { ...head, rules: [{ level: 'None', omitStages: ['Later'] }] }, /rules\[0\].omitStages/],
    ['a text for a list', { ...head, rules: [{ level: 'None', users: 'alice' }] }, /rules\[0\].users: must be a list/],
    [
      'resources and paths together',
      { ...head, rules: [{ level: 'None', namespaces: ['a'], nonResourceURLs: ['*'] }] },
      /cannot apply to both regular resources and non-resource URLs/,
    ],
  ]
  for (const [name, policy, message] of wrong) {
    test(`refuses ${name} with a reason`, () =>
      assert.throws(
        () => readAuditPolicy(policy),
        (error) => error instanceof AuditPolicyError && message.test(error.message),
      ))
  }
})
