import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { validateIngressSpec } from './ingress-validation.ts'

const backend = { service: { name: 'web', port: { number: 80 } } }
const at = (path: string, pathType: string = 'Prefix', to: object = backend): never =>
  ({ rules: [{ http: { paths: [{ path, pathType, backend: to }] } }] }) as never
const shown = (spec: object): string[] => validateIngressSpec(spec).map(({ field, message }) => `${field}: ${message}`)
const path = 'spec.rules[0].http.paths[0]'

suite('validateIngressSpec()', () => {
  const cases: readonly [string, object, readonly RegExp[]][] = [
    ['a rule', at('/a'), []],
    ['a backend for all', { defaultBackend: backend }, []],
    ['nothing', {}, [/^spec: Invalid value: \[\]networking\.IngressRule\(nil\): either `defaultBackend` or `rules` must be specified$/]],
    [
      'a host that is none',
      { rules: [{ host: 'foo_' }] },
      [/^spec\.rules\[0\]\.host: Invalid value: "foo_": a lowercase RFC 1123 subdomain/],
    ],
    ['an address as a host', { rules: [{ host: '10.0.0.1' }] }, [/"10\.0\.0\.1": must be a DNS name, not an IP address$/]],
    ['a wildcard', { rules: [{ host: '*.example.com' }] }, []],
    [
      'a wildcard within',
      { rules: [{ host: 'a.*.example.com' }] },
      [/"a\.\*\.example\.com": a wildcard DNS-1123 subdomain must start with/],
    ],
    ['a relative path', at('a'), [/"a": must be an absolute path$/]],
    ['a path out of it', at('/a/../b'), [/must not contain '\/\.\.\/'$/]],
    [
      'a path type that is none',
      at('/', 'Regex'),
      [/pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"$/],
    ],
    [
      'a service without port',
      at('/', 'Exact', { service: { name: 'web' } }),
      [/backend\.service: Required value: port name or number is required$/],
    ],
    ['no service', at('/', 'Exact', {}), [/backend: Required value: resource or service backend is required$/]],
    ['no paths', { rules: [{ http: { paths: [] } }] }, [/^spec\.rules\[0\]\.http\.paths: Required value$/]],
    [
      'a host of TLS that is none',
      { defaultBackend: backend, tls: [{ hosts: ['A'] }] },
      [/^spec\.tls\[0\]\.hosts\[0\]: Invalid value: "A"/],
    ],
  ]
  for (const [name, spec, faults] of cases) {
    test(`with ${name}: ${faults.length === 0 ? 'accepted' : 'refused'}`, () => {
      const found = shown(spec)
      assert.equal(found.length, faults.length, found.join('\n'))
      for (const [index, fault] of faults.entries()) assert.match(found[index] ?? '', fault)
    })
  }

  test('names the index of the path', () => assert.ok(shown(at('a'))[0]?.startsWith(`${path}.path: `)))
})
