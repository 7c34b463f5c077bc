export { referencesOf, revisionsNamedIn, startRevisionPrefix, type Reference } from './references.ts'
