import { pathNotFound } from '#apimachinery/errors.ts'
import type { Route } from '#apiserver/front/routes.ts'
import type { ServiceAccountTokens } from '../service-accounts/service-account-tokens.ts'

const keysPath = '/openid/v1/jwks'

/**
 * `/.well-known/openid-configuration` and `/openid/v1/jwks`, by first path segment: from which
 * other servers learn to verify tokens.
 */
export function issuerRoutes(tokens: ServiceAccountTokens, serverUrl: () => string): readonly (readonly [string, Route])[] {
  const document =
    (path: string, contentType: string, content: () => object): Route =>
    async ({ path: asked, reply }) => {
      if (asked !== path) throw pathNotFound()
      reply.send(200, contentType, Buffer.from(JSON.stringify(content())), { 'cache-control': 'public, max-age=3600' })
    }
  const configuration = (): object => ({
    issuer: tokens.issuer,
    jwks_uri: `${serverUrl()}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(tokens.publicKeys.map(({ alg }) => alg))],
  })
  return [
    ['.well-known', document('/.well-known/openid-configuration', 'application/json', configuration)],
    ['openid', document(keysPath, 'application/jwk-set+json', () => ({ keys: tokens.publicKeys }))],
  ]
}
