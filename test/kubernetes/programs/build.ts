import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Go package of each program, and the folder of the Go module that pins its version. */
const goPrograms: Readonly<Record<string, { readonly module: string; readonly package: string }>> = {
  pause: { module: '.', package: './pause' },
  coredns: { module: 'coredns', package: '.' },
  etcd: { module: '.', package: 'go.etcd.io/etcd/server/v3' },
  ...Object.fromEntries(
    ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'].map((name) => [
      name,
      { module: '.', package: `k8s.io/kubernetes/cmd/${name}` },
    ]),
  ),
  ...Object.fromEntries(
    ['containerd', 'containerd-shim-runc-v2', 'ctr'].map((name) => [
      name,
      { module: 'containerd', package: `github.com/containerd/containerd/v2/cmd/${name}` },
    ]),
  ),
}

/** Programs of tests, which a cluster does not need: Helm, and those of Kubernetes' own. */
const testPrograms: typeof goPrograms = {
  helm: { module: 'helm', package: 'helm.sh/helm/v3/cmd/helm' },
  agnhost: { module: '.', package: 'k8s.io/kubernetes/test/images/agnhost' },
  'sample-apiserver': { module: '.', package: 'k8s.io/sample-apiserver' },
  'e2e.test': { module: '.', package: './e2e' },
}

/** Debian packages with the other programs of a node, and the libraries of these. */
const packages = `runc containernetworking-plugins nftables libnftables1 libnftnl11 libxtables12 libjansson4
   libedit2 libbsd0 libmd0 libmnl0 libgmp10 libseccomp2`.split(/\s+/)

/** Returns the path of a built program. */
export function programPath(programs: string, name: string): string {
  return join(programs, 'bin', name)
}

/** Returns the path of a file of the unpacked Debian packages. */
export function packagePath(programs: string, file: string): string {
  return join(programs, 'debian', file)
}

/** Returns the folders with libraries of the unpacked Debian packages, for LD_LIBRARY_PATH. */
export function libraryPath(programs: string): string {
  const triple = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
  return [`usr/lib/${triple}`, `lib/${triple}`].map((folder) => packagePath(programs, folder)).join(':')
}

/** Lists what a cluster needs and the folder does not have. */
export function missingPrograms(programs: string): readonly string[] {
  const files = ['usr/sbin/runc', 'usr/sbin/nft', 'usr/lib/cni/bridge', 'usr/lib/cni/host-local']
  return [
    ...Object.keys(goPrograms).filter((name) => !existsSync(programPath(programs, name))),
    ...files.filter((file) => !existsSync(packagePath(programs, file))),
  ]
}

/**
 * Builds programs from Go modules and unpacks Debian packages; installs nothing. Without names, all
 * that a cluster needs. Go builds only what has changed.
 */
export async function buildPrograms(programs: string, names: readonly string[], report: (line: string) => void): Promise<void> {
  await mkdir(join(programs, 'bin'), { recursive: true })
  const known = { ...goPrograms, ...testPrograms }
  for (const name of names.length > 0 ? names : ['packages', ...Object.keys(goPrograms)]) {
    const started = Date.now()
    const program = known[name]
    if (program !== undefined) await buildProgram(programs, name, program)
    else if (name === 'packages') await unpackPackages(programs)
    else throw new Error(`${name} is none of packages, ${Object.keys(known).join(', ')}`)
    report(`${name}: ${((Date.now() - started) / 1000).toFixed(0)} s`)
  }
}

async function buildProgram(programs: string, name: string, program: { readonly module: string; readonly package: string }): Promise<void> {
  const options = { env: { ...process.env, CGO_ENABLED: '0' }, maxBuffer: 64 << 20 }
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Version}}', 'k8s.io/kubernetes'], { ...options, cwd: import.meta.dirname })
  const version = stdout.trim()
  const [major = '', minor = ''] = version.slice(1).split('.')
  // Without a version, clients refuse the API server and node agents misjudge the kubelet.
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const linked = Object.entries(variables).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`)
  const command = name.endsWith('.test') ? ['test', '-c'] : ['build']
  const flags = ['-ldflags', ['-s', '-w', ...linked].join(' '), '-o', programPath(programs, name)]
  await run('nice', ['go', ...command, ...flags, program.package], { ...options, cwd: join(import.meta.dirname, program.module) })
}

async function unpackPackages(programs: string): Promise<void> {
  const root = join(programs, 'debian')
  await mkdir(root, { recursive: true })
  const download = await mkdtemp(join(tmpdir(), 'steadyvm-packages-'))
  try {
    for (const name of packages) {
      const done = join(root, `.unpacked-${name}`)
      if (existsSync(done)) continue
      await run('apt-get', ['download', '-q', '-q', name], { cwd: download })
      const file = (await readdir(download)).find((entry) => entry.startsWith(`${name}_`)) ?? name
      await run('dpkg-deb', ['-x', join(download, file), root])
      await writeFile(done, '')
    }
  } finally {
    await rm(download, { recursive: true })
  }
}
