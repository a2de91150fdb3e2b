/** Components are compiled by VitePress; TypeScript only needs to know what they are. */
declare module '*.vue' {
  import type { DefineComponent } from 'vue';
  const component: DefineComponent;
  export default component;
}
