import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideRotation, type CertificatesObservation, type KeptCertificate, type KnownCertificate, type Terms } from './rotation.ts'

const hour = 3_600_000
const terms: Terms = {
  ca: { durationMs: 168 * hour, renewBeforeMs: 33.6 * hour },
  server: { durationMs: 24 * hour, renewBeforeMs: 4.8 * hour },
}
const now = 10_000 * hour
const known = (pem: string, issuedAt: number, durationMs: number): KnownCertificate => ({ pem, issuedAt, notAfter: issuedAt + durationMs })
const kept = (pem: string, issuedAt: number, durationMs: number): KeptCertificate => ({
  ...known(pem, issuedAt, durationMs),
  isOutdated: false,
})
const caAt = (pem: string, age: number): KeptCertificate => kept(pem, now - age * hour, 168 * hour)
const leafAt = (age: number, signer: KnownCertificate | undefined): CertificatesObservation['leaves'] => [
  { name: 'leaf', certificate: { ...kept('leaf', now - age * hour, 24 * hour), signer } },
]
const [fresh, old] = [caAt('new', 1), caAt('old', 135)]
const well: CertificatesObservation = { authority: fresh, bundle: [fresh], leaves: leafAt(1, fresh) }

const rows: readonly { name: string; observed: CertificatesObservation; terms?: Terms; want: object }[] = [
  {
    name: 'nothing exists',
    observed: { authority: undefined, bundle: [], leaves: [{ name: 'leaf', certificate: undefined }] },
    want: { do: 'make-authority' },
  },
  { name: 'all is well', observed: well, want: { do: 'rest', recheckAfterMs: hour } },
  { name: 'the authority ends soon', observed: { ...well, authority: old, bundle: [old] }, want: { do: 'make-authority' } },
  {
    name: 'the duration of the CA was increased',
    observed: { ...well, authority: { ...fresh, isOutdated: true } },
    want: { do: 'make-authority' },
  },
  {
    name: 'no client knows the new CA yet',
    observed: { ...well, bundle: [old], leaves: leafAt(1, old) },
    want: { do: 'publish', bundle: ['new', 'old'] },
  },
  { name: 'the bundle was lost', observed: { ...well, bundle: [] }, want: { do: 'publish', bundle: ['new'] } },
  {
    name: 'all know the new authority',
    observed: { ...well, bundle: [fresh, old], leaves: leafAt(1, old) },
    want: { do: 'issue', name: 'leaf' },
  },
  {
    name: 'the new CA is published, and clients may not have read it yet',
    observed: { ...well, bundle: [fresh, old], leaves: leafAt(1, old), publishedAt: now - 2_000 },
    terms: { ...terms, settleMs: 5_000 },
    want: { do: 'rest', recheckAfterMs: 3_000 },
  },
  {
    name: 'clients may not have read the new CA yet, and there is no other certificate',
    observed: { ...well, leaves: [{ name: 'leaf', certificate: undefined }], publishedAt: now },
    terms: { ...terms, settleMs: 5_000 },
    want: { do: 'issue', name: 'leaf' },
  },
  { name: 'the old one is still believed', observed: { ...well, bundle: [fresh, old] }, want: { do: 'rest', recheckAfterMs: hour } },
  {
    name: 'the overlap is over',
    observed: { authority: caAt('new', 34), bundle: [caAt('new', 34), old], leaves: leafAt(1, caAt('new', 34)) },
    want: { do: 'publish', bundle: ['new'] },
  },
  {
    name: 'an old one has ended before',
    observed: { ...well, bundle: [fresh, caAt('old', 168)] },
    want: { do: 'publish', bundle: ['new'] },
  },
  {
    name: 'the overlap is over, and the old one still in use',
    observed: { authority: caAt('new', 34), bundle: [caAt('new', 34), old], leaves: leafAt(1, old) },
    want: { do: 'issue', name: 'leaf' },
  },
  { name: 'a leaf ends soon', observed: { ...well, leaves: leafAt(20, fresh) }, want: { do: 'issue', name: 'leaf' } },
  { name: 'a leaf is signed by a stranger', observed: { ...well, leaves: leafAt(1, undefined) }, want: { do: 'issue', name: 'leaf' } },
  {
    name: 'the duration of a certificate was reduced',
    observed: {
      ...well,
      leaves: [{ name: 'leaf', certificate: { ...kept('leaf', now - hour, 24 * hour), isOutdated: true, signer: fresh } }],
    },
    want: { do: 'issue', name: 'leaf' },
  },
  {
    name: 'a certificate was shortened by the end of its CA, and has half of its time left',
    observed: {
      ...well,
      leaves: [{ name: 'leaf', certificate: { ...kept('leaf', now - 60_000, 24 * hour), notAfter: now + 120_000, signer: fresh } }],
    },
    want: { do: 'rest', recheckAfterMs: 30_000 },
  },
]

suite('decideRotation()', () => {
  for (const { name, observed, terms: wanted = terms, want } of rows)
    test(name, () => assert.deepEqual(decideRotation(observed, wanted, now), want))

  test('converges from every state, and never presents a certificate of an untrusted authority', () => {
    let [clock, made] = [now, 0]
    let observed: CertificatesObservation = { authority: undefined, bundle: [], leaves: [{ name: 'leaf', certificate: undefined }] }
    const short: Terms = { ca: { durationMs: 10 * hour, renewBeforeMs: 2 * hour }, server: { durationMs: 3 * hour, renewBeforeMs: hour } }
    const steps: string[] = []
    while (clock < now + 100 * hour) {
      const step = decideRotation(observed, short, clock)
      steps.push(step.do)
      if (step.do === 'make-authority') observed = { ...observed, authority: kept(`ca-${++made}`, clock, short.ca.durationMs) }
      else if (step.do === 'publish') {
        const all = [observed.authority, ...observed.bundle]
        observed = { ...observed, bundle: step.bundle.map((pem) => all.find((each) => each?.pem === pem) ?? assert.fail(pem)) }
      } else if (step.do === 'issue') {
        const signer = observed.authority ?? assert.fail()
        assert.ok(
          observed.bundle.some(({ pem }) => pem === signer.pem),
          'is believed before it signs',
        )
        const end = Math.min(clock + short.server.durationMs, signer.notAfter)
        const certificate = { ...kept(`leaf-${++made}`, clock, short.server.durationMs), notAfter: end, signer }
        observed = { ...observed, leaves: [{ name: step.name, certificate }] }
      } else {
        const { signer, notAfter = 0 } = observed.leaves[0]?.certificate ?? {}
        assert.ok(notAfter > clock && observed.bundle.some(({ pem }) => pem === signer?.pem), 'is valid, and believed')
        clock += step.recheckAfterMs
      }
    }
    const count = (what: string): number => steps.filter((step) => step === what).length
    assert.deepEqual([count('make-authority') > 10, count('make-authority') < 15], [true, true])
    assert.ok(count('issue') < 70, `issued ${count('issue')} times`)
  })
})
