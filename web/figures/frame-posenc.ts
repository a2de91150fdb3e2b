/** What figures use of posenc: imported lazily, and without the rest of the package. */
export { load } from 'posenc';
