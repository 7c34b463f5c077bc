import { askAccess, type BootstrapRole, paths, rule } from './bootstrap-role.ts'

const healthPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'] as const

/** Roles of all users, and roles to bind by name. */
export const systemRoles: readonly BootstrapRole[] = [
  { name: 'cluster-admin', rules: [rule('*', ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }], groups: ['system:masters'] },
  {
    name: 'system:discovery',
    rules: [paths(...healthPaths, '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*')],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths(...healthPaths)],
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
    ],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [paths('/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/')],
    groups: ['system:serviceaccounts'],
  },
  {
    name: 'system:monitoring',
    rules: [paths('/metrics', ...healthPaths, '/healthz/*', '/readyz/*', '/livez/*')],
    groups: ['system:monitoring'],
  },
  // For extension API servers.
  { name: 'system:auth-delegator', rules: askAccess },
]
