import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { RequestHeaders } from '#apiserver/http/exchange.ts'
import { impersonatedUser } from './impersonation.ts'

const bob = { username: 'bob', groups: ['system:authenticated'] }

function act(headers: RequestHeaders, allowed: (attributes: AccessAttributes) => boolean = () => true): { user: object; asked: string[] } {
  const asked: string[] = []
  const authorize: Authorizer = (_user, attributes) => {
    if (attributes.kind === 'resource') {
      const { verb, group, resource, subresource, namespace = '', name } = attributes
      asked.push([verb, group, resource, subresource, namespace, name].join(' '))
    }
    return { allowed: allowed(attributes), reason: '' }
  }
  return { user: impersonatedUser(bob, headers, authorize), asked }
}

function refusal(headers: RequestHeaders, allowed?: (attributes: AccessAttributes) => boolean): string {
  try {
    act(headers, allowed)
  } catch (error) {
    assert.ok(error instanceof StatusError)
    return `${error.code} ${error.message}`
  }
  return 'allowed'
}

suite('impersonatedUser()', () => {
  const cases: readonly (readonly [string, RequestHeaders, object, string[]])[] = [
    ['nobody', { accept: 'x' }, bob, []],
    ['a user', { 'impersonate-user': 'eve' }, { username: 'eve', groups: ['system:authenticated'] }, ['impersonate  users   eve']],
    [
      'a user with all that belongs to it',
      {
        'impersonate-user': 'eve',
        'impersonate-uid': '7',
        'impersonate-group': ['ops', 'dev'],
        'impersonate-extra-acme.com%2fScopes': ['a', 'b'],
      },
      { username: 'eve', uid: '7', groups: ['ops', 'dev', 'system:authenticated'], extra: { 'acme.com/scopes': ['a', 'b'] } },
      [
        'impersonate  users   eve',
        'impersonate  groups   ops',
        'impersonate  groups   dev',
        'impersonate authentication.k8s.io userextras acme.com/scopes  a',
        'impersonate authentication.k8s.io userextras acme.com/scopes  b',
        'impersonate authentication.k8s.io uids   7',
      ],
    ],
    [
      'a service account',
      { 'impersonate-user': 'system:serviceaccount:dev:bot' },
      {
        username: 'system:serviceaccount:dev:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:dev', 'system:authenticated'],
      },
      ['impersonate  serviceaccounts  dev bot'],
    ],
    [
      'no user',
      { 'impersonate-user': 'system:anonymous' },
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
      ['impersonate  users   system:anonymous'],
    ],
    [
      'a user without the right to impersonate',
      { 'impersonate-user': 'eve', 'impersonate-group': ['system:unauthenticated'] },
      { username: 'eve', groups: ['system:unauthenticated'] },
      ['impersonate  users   eve', 'impersonate  groups   system:unauthenticated'],
    ],
  ]
  for (const [what, headers, user, asked] of cases) test(`impersonates ${what}`, () => assert.deepEqual(act(headers), { user, asked }))

  for (const name of ['impersonate-group', 'impersonate-uid', 'impersonate-extra-a'])
    test(`refuses ${name} without a user`, () =>
      assert.match(refusal({ [name]: 'x' }), /^400 requested impersonation of .* without impersonating a user/))
  test('authorizes each part separately, and names the refused one', () => {
    const headers = { 'impersonate-user': 'eve', 'impersonate-group': ['system:masters'], 'impersonate-extra-a': ['b'] }
    const without = (resource: string) => (attributes: AccessAttributes) =>
      attributes.kind === 'resource' && attributes.resource !== resource
    assert.equal(
      refusal(headers, without('users')),
      '403 users "eve" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
    assert.equal(
      refusal(headers, without('groups')),
      '403 groups "system:masters" is forbidden: User "bob" cannot impersonate resource "groups" in API group "" at the cluster scope',
    )
    assert.equal(
      refusal(headers, without('userextras')),
      '403 userextras.authentication.k8s.io "b" is forbidden: User "bob" cannot impersonate resource "userextras/a" in API group "authentication.k8s.io" at the cluster scope',
    )
    assert.equal(
      refusal({ 'impersonate-user': 'system:serviceaccount:dev:bot' }, () => false),
      '403 serviceaccounts "bot" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "dev"',
    )
  })
})
