/** The site's theme: no default theme, so that every page carries only what it uses. */
import type { Theme } from 'vitepress';
import { defineAsyncComponent } from 'vue';
import ChapterCards from './ChapterCards.vue';
import Figure from './Figure.vue';
import Layout from './Layout.vue';
import NotFound from './NotFound.vue';
import '../../../figures/frame.css';
import 'katex/dist/katex.min.css';
import './styles/base.css';
import './styles/header.css';
import './styles/layout.css';
import './styles/search.css';
import './styles/prose.css';
import './styles/landing.css';
import './styles/inspect.css';
import './styles/bench.css';
import './styles/lab.css';
import './styles/small.css';
import './styles/reference.css';
import '../facts.css';

const theme: Theme = {
  Layout,
  NotFound,
  enhanceApp({ app }) {
    app.component('Figure', Figure);
    app.component('ChapterCards', ChapterCards);
    app.component(
      'InspectModel',
      defineAsyncComponent(() => import('./InspectModel.vue')),
    );
    app.component(
      'Lab',
      defineAsyncComponent(() => import('./LabPage.vue')),
    );
    app.component(
      'BenchSaved',
      defineAsyncComponent(() => import('./BenchSaved.vue')),
    );
    app.component(
      'BenchRun',
      defineAsyncComponent(() => import('./BenchRun.vue')),
    );
    app.component(
      'SmallModel',
      defineAsyncComponent(() => import('./SmallModel.vue')),
    );
  },
};

export default theme;
