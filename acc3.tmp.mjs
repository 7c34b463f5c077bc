import { WebSocket } from 'ws'
import { readFileSync } from 'node:fs'
const home = process.env.STEADYVM_HOME
const server = /server: "?https([^\s"]+)/.exec(readFileSync(process.env.KUBECONFIG, 'utf8'))[1]
const pem = readFileSync(`${home}/pki/admin.pem`), ca = readFileSync(`${home}/pki/ca.crt`)
const open = (vm, tail) => new WebSocket(`wss${server}/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/${vm}/${tail}`, ['plain.kubevirt.io'], { cert: pem, key: pem, ca, perMessageDeflate: false })
const [, , what, vm, n] = process.argv
if (what === 'throughput') {
  const c = open(vm, 'console'); let bytes = 0
  await new Promise((r, j) => { c.on('open', r); c.on('error', j) })
  const t = performance.now()
  c.on('message', (d) => (bytes += d.length))
  await new Promise((r) => setTimeout(r, 8000))
  console.log('console', (bytes / 1e6 / ((performance.now() - t) / 1000)).toFixed(1), 'MB/s')
  c.terminate()
} else if (what === 'hold') {
  const all = []
  for (let i = 0; i < Number(n); i++) { const c = open(vm, 'portforward/22'); await new Promise((r, j) => { c.on('open', r); c.on('error', j) }); all.push(c) }
  console.log('open', all.length); await new Promise((r) => setTimeout(r, 15000)); process.exit(0)
} else {
  let ok = 0, bad = 0
  const one = () => new Promise((r) => { const c = open(vm, 'console'); const early = Math.random() < 0.5
    c.on('open', () => { ok++; c.terminate() }); c.on('error', () => { bad++; r() }); c.on('close', r); if (early) setTimeout(() => c.terminate(), Math.random() * 20) })
  const t = performance.now()
  let left = Number(n)
  await Promise.all(Array.from({ length: 8 }, async () => { while (left-- > 0) await one() }))
  console.log('connects', ok, 'aborted early', bad, 'in', Math.round((performance.now() - t) / 1000), 's'); process.exit(0)
}
