import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decide, type CertificatesObservation, type KeptCertificate, type KnownCertificate } from './decide.ts'
import { goDuration, readTerms, type Terms } from './terms.ts'

const hour = 3_600_000
const { terms } = readTerms({ spec: {} })
const now = 10_000 * hour
const known = (pem: string, issuedAt: number, durationMs: number): KnownCertificate => ({ pem, issuedAt, notAfter: issuedAt + durationMs })
const kept = (pem: string, issuedAt: number, durationMs: number): KeptCertificate => ({
  ...known(pem, issuedAt, durationMs),
  duration: goDuration(durationMs),
})
const caAt = (pem: string, age: number): KeptCertificate => kept(pem, now - age * hour, 168 * hour)
const leafAt = (age: number, signer: KnownCertificate | undefined): CertificatesObservation['leaves'] => [
  { name: 'leaf', certificate: { ...kept('leaf', now - age * hour, 24 * hour), signer } },
]
const [fresh, old] = [caAt('new', 1), caAt('old', 135)]
const well: CertificatesObservation = { authority: fresh, bundle: [fresh], leaves: leafAt(1, fresh) }

const rows: readonly { name: string; observed: CertificatesObservation; terms?: Terms; want: object }[] = [
  {
    name: 'nothing is there',
    observed: { authority: undefined, bundle: [], leaves: [{ name: 'leaf', certificate: undefined }] },
    want: { do: 'make-authority' },
  },
  { name: 'all is well', observed: well, want: { do: 'rest', recheckAfterMs: hour } },
  { name: 'the authority ends soon', observed: { ...well, authority: old, bundle: [old] }, want: { do: 'make-authority' } },
  {
    name: 'an authority is to live longer',
    observed: well,
    terms: { ...terms, ca: { durationMs: 200 * hour, renewBeforeMs: hour } },
    want: { do: 'make-authority' },
  },
  {
    name: 'nobody knows the new authority yet',
    observed: { ...well, bundle: [old], leaves: leafAt(1, old) },
    want: { do: 'publish', bundle: ['new', 'old'] },
  },
  { name: 'the bundle was lost', observed: { ...well, bundle: [] }, want: { do: 'publish', bundle: ['new'] } },
  {
    name: 'all know the new authority',
    observed: { ...well, bundle: [fresh, old], leaves: leafAt(1, old) },
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
    name: 'a leaf is to live shorter',
    observed: well,
    terms: { ...terms, server: { durationMs: 2 * hour, renewBeforeMs: hour } },
    want: { do: 'issue', name: 'leaf' },
  },
  {
    name: 'a leaf got little time because its authority ends, and has half of it left',
    observed: {
      ...well,
      leaves: [{ name: 'leaf', certificate: { ...kept('leaf', now - 60_000, 24 * hour), notAfter: now + 120_000, signer: fresh } }],
    },
    want: { do: 'rest', recheckAfterMs: 30_000 },
  },
]

suite('decide()', () => {
  for (const { name, observed, terms: wanted = terms, want } of rows)
    test(name, () => assert.deepEqual(decide(observed, wanted, now), want))

  test('comes to rest from everywhere, and never lets a server show what nobody believes', () => {
    let [clock, made] = [now, 0]
    let observed: CertificatesObservation = { authority: undefined, bundle: [], leaves: [{ name: 'leaf', certificate: undefined }] }
    const short: Terms = { ca: { durationMs: 10 * hour, renewBeforeMs: 2 * hour }, server: { durationMs: 3 * hour, renewBeforeMs: hour } }
    const steps: string[] = []
    while (clock < now + 100 * hour) {
      const step = decide(observed, short, clock)
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

suite('readTerms()', () => {
  const termsOf = (selfSigned: object): ReturnType<typeof readTerms> => readTerms({ spec: { certificateRotateStrategy: { selfSigned } } })
  const fieldsOf = (selfSigned: object): string[] =>
    termsOf(selfSigned).problems.map(({ field }) => field.replace('spec.certificateRotateStrategy.selfSigned', ''))

  test('has the usual ones when nothing is said', () => {
    assert.deepEqual(terms, {
      ca: { durationMs: 168 * hour, renewBeforeMs: 168 * hour * 0.2 },
      server: { durationMs: 24 * hour, renewBeforeMs: 24 * hour * 0.2 },
    })
  })

  test('takes what is said, also in the old way', () => {
    const wanted = { ca: { durationMs: 48 * hour, renewBeforeMs: hour }, server: { durationMs: 10 * hour, renewBeforeMs: 2 * hour } }
    assert.deepEqual(termsOf({ ca: { duration: '48h', renewBefore: '1h' }, server: { duration: '10h' } }).terms, wanted)
    assert.deepEqual(termsOf({ caRotateInterval: '48h0m0s', caOverlapInterval: '60m', certRotateInterval: '10h' }).terms, wanted)
  })

  const bad: readonly (readonly [object, readonly string[]])[] = [
    [{ ca: { duration: 'soon' } }, ['.ca.duration']],
    [{ ca: { duration: '-5h' } }, ['.ca.duration']],
    [{ ca: { duration: '2h', renewBefore: '2h' }, server: { duration: '1h' } }, ['.ca.renewBefore']],
    [{ server: { duration: '200h' } }, ['.server.duration']],
    [{ server: { duration: '30s' } }, ['.server.duration']],
    [{ server: { duration: '5h' }, caRotateInterval: '100h' }, ['']],
  ]
  for (const [selfSigned, fields] of bad) {
    test(`refuses ${JSON.stringify(selfSigned)}, and acts on the usual ones meanwhile`, () => {
      assert.deepEqual(fieldsOf(selfSigned), fields)
      assert.deepEqual(termsOf(selfSigned).terms, terms)
    })
  }
})
