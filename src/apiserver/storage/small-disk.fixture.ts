import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Mounts a file system of 4 MiB. Undefined without the right to mount. */
export function mountSmall(path: string): Disposable | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { [Symbol.dispose]: () => execFileSync('umount', ['-l', path], { stdio: 'ignore' }) }
}

/** Writes ballast until nothing more fits. */
export function fillDisk(path: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12]) {
    try {
      for (let index = 0; ; index += 1) writeFileSync(join(path, `ballast-${size}-${index}`), Buffer.alloc(size))
    } catch {
      // Full, to within this size.
    }
  }
}

/** Removes the ballast. */
export function emptyDisk(path: string): void {
  execFileSync('sh', ['-c', `rm -f '${path}'/ballast-*`])
}
